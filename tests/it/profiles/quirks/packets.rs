//! Packets and properties.

use sedkit::spec::{method, uid};
use sedkit::transport::InterfaceStatus;
use sedkit::wire::{MethodCall, Value};

use crate::profiles::quirky;
use crate::support::Bench;

/// Properties with host properties, one of which no standard knows.
fn request() -> MethodCall {
    let host = Value::list([
        Value::named("MaxComPacketSize", 1_048_576_u64),
        Value::named("Nonsense", 7_u64),
    ]);
    MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).optional(0, host)
}

fn answer(bench: &mut Bench) -> MethodCall {
    bench.control(&request()).unwrap()
}

/// The names in a list of properties.
fn names(list: &Value) -> Vec<String> {
    let name = |pair: &Value| {
        let name = pair.as_named().unwrap().0.as_bytes().unwrap().to_vec();
        String::from_utf8(name).unwrap()
    };
    list.as_list().unwrap().iter().map(name).collect()
}

/// The host properties of an answer.
fn echo(answer: &MethodCall) -> Option<&Value> {
    let (_, list) = answer.arguments.get(1)?.as_named()?;
    Some(list)
}

fn property(answer: &MethodCall, name: &str) -> u64 {
    let list = answer.arguments[0].as_list().unwrap();
    let pairs = list.iter().filter_map(Value::as_named);
    let mut found = pairs.filter(|(known, _)| known.as_bytes() == Some(name.as_bytes()));
    found.next().unwrap().1.as_uint().unwrap()
}

#[test]
fn small_packets_are_the_least_that_opal_allows() {
    // Demands 3.1, Samsung PM810; reference 3.2: 2048, 2028, 1992.
    let told = answer(&mut quirky(&["small-packets"]));
    for (name, size) in [
        ("MaxComPacketSize", 2048),
        ("MaxResponseComPacketSize", 2048),
        ("MaxPacketSize", 2028),
        ("MaxIndTokenSize", 1992),
    ] {
        assert_eq!(property(&told, name), size, "{name}");
    }
    let mut bench = quirky(&["small-packets"]);
    let com_id = bench.com_id().0;
    let refused = Err(InterfaceStatus::InvalidParameter);
    assert_eq!(bench.send(1, com_id, &[0; 2560]), refused);
    assert_eq!(Bench::new().send(1, com_id, &[0; 2560]), Ok(()));
}

#[test]
fn one_property_is_all_that_is_answered() {
    // Demands 3.1, HGST HUH721212.
    let told = answer(&mut quirky(&["one-property"]));
    assert_eq!(names(&told.arguments[0]), ["MaxComPacketSize"]);
    assert_eq!(echo(&told), None);
    assert!(names(&answer(&mut Bench::new()).arguments[0]).len() > 10);
}

#[test]
fn host_properties_may_be_left_out_or_repeated() {
    // Reference 3.2: what the TPer knows is repeated, with the values that it will use. Demands
    // D47, WD SN850X: repeated is whatever the host said.
    let standard = answer(&mut Bench::new());
    let standard = names(echo(&standard).unwrap());
    assert_eq!(standard.len(), 6);
    assert!(!standard.contains(&"Nonsense".to_owned()));

    let verbatim = answer(&mut quirky(&["echo-host-properties"]));
    let said = request().arguments[0].as_named().unwrap().1.clone();
    assert_eq!(echo(&verbatim), Some(&said));

    let silent = answer(&mut quirky(&["no-host-properties"]));
    assert_eq!(silent.arguments.len(), 1);
    assert!(names(&silent.arguments[0]).len() > 10);
}

#[test]
fn a_long_receive_is_refused() {
    // Demands D47 and 3.1, WD SN850X and Micron 7450.
    let mut bench = quirky(&["max-receive=4096"]);
    let com_id = bench.com_id().0;
    let refused = Err(InterfaceStatus::InvalidParameter);
    assert_eq!(bench.recv(1, com_id, 4608), refused);
    assert!(bench.recv(1, com_id, 4096).is_ok());
    assert!(Bench::new().recv(1, com_id, 1 << 20).is_ok());
}
