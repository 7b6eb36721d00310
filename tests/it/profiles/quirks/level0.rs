//! Level 0 Discovery.

use sedkit::transport::InterfaceStatus;

use crate::profiles::quirky;
use crate::support::{BUFFER, Bench};

/// The feature codes in the response's order.
fn codes(bench: &mut Bench) -> Vec<u16> {
    let level0 = bench.level0();
    let length = u32::from_be_bytes(level0[..4].try_into().unwrap());
    let end = usize::try_from(length).unwrap() + 4;
    let mut rest = &level0[48..end];
    let mut codes = Vec::new();
    while !rest.is_empty() {
        codes.push(u16::from_be_bytes([rest[0], rest[1]]));
        rest = &rest[4 + usize::from(rest[3])..];
    }
    codes
}

#[test]
fn descriptors_may_stand_in_any_order() {
    // Demands D52, a Seagate drive.
    let standard = codes(&mut Bench::new());
    assert!(standard.is_sorted());
    let mut unordered = codes(&mut quirky(&["unordered-descriptors"]));
    assert!(!unordered.is_sorted());
    unordered.sort_unstable();
    assert_eq!(unordered, standard);
}

#[test]
fn unknown_descriptors_stand_between_the_others() {
    // Demands D52: C001h of Seagate, and a code that nobody has used.
    let found = codes(&mut quirky(&["vendor-descriptors"]));
    let others: Vec<u16> = found
        .iter()
        .copied()
        .filter(|code| ![0xc001, 0x04fe].contains(code))
        .collect();
    assert_eq!(others, codes(&mut Bench::new()));
    assert_eq!(found.iter().position(|code| *code == 0xc001), Some(2));
    assert_eq!(found[found.len() - 2], 0x04fe);
}

#[test]
fn zeros_follow_the_end() {
    // Demands 3.1, Samsung T7: to a parser that ignores the length they look like a descriptor.
    let standard = Bench::new().level0();
    let padded = quirky(&["padded-discovery"]).level0();
    assert_eq!(padded[..standard.len()], standard);
    assert_eq!(padded[standard.len()..], [0; 512]);
}

#[test]
fn without_block_sid_the_command_is_refused() {
    // Crucial M550, MX200 and Seagate SATA drives show no descriptor 0402h.
    let mut bench = quirky(&["no-block-sid"]);
    assert!(!codes(&mut bench).contains(&0x0402));
    let refused = Err(InterfaceStatus::InvalidParameter);
    assert_eq!(bench.send(2, 0x0005, &[0; 512]), refused);
    let mut bench = Bench::new();
    assert!(codes(&mut bench).contains(&0x0402));
    assert_eq!(bench.send(2, 0x0005, &[0; 512]), Ok(()));
    assert!(bench.recv(1, 0x0001, BUFFER).is_ok());
}

/// Demands D99; reference 3.9.5, bytes 12 to 15 of the Geometry descriptor.
#[test]
fn the_block_size_may_be_one_from_before_a_format() {
    let mut bench = quirky(&["stale-block-size=4096"]);
    assert_eq!(bench.feature(0x0003)[12..16], 4096_u32.to_be_bytes());
    assert_eq!(bench.drive().info().block_size, 512);
    assert_eq!(bench.drive().read(0, 1).unwrap().len(), 512);
}
