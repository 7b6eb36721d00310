//! Several namespaces of one drive.

use super::{Bench, SIZE, Sqe, media, read, write};

#[test]
fn namespaces_are_equal_parts_of_the_media() {
    let bench = Bench::with_namespaces(4);
    let mut admin = bench.admin();
    let controller = admin.identify(1, 0).success().data;
    assert_eq!(controller[516..520], [4, 0, 0, 0], "NN");
    let list = admin.identify(2, 0).success().data;
    assert_eq!(
        list[..20],
        [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]
    );
    let blocks = SIZE / 512 / 4;
    for nsid in 1..=4 {
        let namespace = admin.identify(0, nsid).success().data;
        assert_eq!(namespace[..8], blocks.to_le_bytes());
    }
    admin.identify(0, 5).refused(0x400b);
}

#[test]
fn identifiers_differ() {
    let bench = Bench::with_namespaces(2);
    let mut admin = bench.admin();
    let [first, second] = [1, 2].map(|nsid| admin.identify(3, nsid).success().data);
    assert_ne!(first[4..12], second[4..12]);
    assert_ne!(first[16..32], second[16..32]);
}

#[test]
fn a_namespace_begins_where_the_one_before_ends() {
    let bench = Bench::with_namespaces(2);
    let mut admin = bench.admin();
    let mut io = bench.io_queue(&mut admin, 1);
    let blocks = SIZE / 512 / 2;
    io.send(write(blocks - 1, 1), &[1; 512]).success();
    io.send(write(0, 1).nsid(2), &[2; 512]).success();
    {
        let drive = bench.drives[0].lock();
        let media = drive.read(blocks - 1, 2).unwrap();
        assert_eq!(media, [[1; 512], [2; 512]].concat());
    }
    io.get(read(blocks - 1, 2)).refused(0x4080);
    io.get(media(0x08, 0, 1).nsid(2)).success();
    assert_eq!(io.get(read(0, 1).nsid(2)).success().data, [0; 512]);
    assert_eq!(io.get(read(blocks - 1, 1)).success().data, [1; 512]);
    io.get(Sqe::new(0).nsid(2)).success();
    io.get(read(0, 1).nsid(3)).refused(0x400b);
}
