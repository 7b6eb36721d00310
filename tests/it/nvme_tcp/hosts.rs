//! Several hosts, hosts that vanish, and a drive that does.

use std::thread;

use sedkit::vdrive::VirtualDrive;
use sedkit::vdrive::serve::{Export, Server, ServerOptions};

use super::attached::media;
use super::host::{Command, Connection, Terms};
use super::{Attached, Identity, Served, pattern};

#[test]
fn several_hosts_use_two_drives_at_once() {
    let served = Served::new(2);
    thread::scope(|scope| {
        for number in 0..6_u8 {
            let subsystem = &served.subsystems[usize::from(number % 2)];
            let identity = Identity::new(subsystem, number);
            let address = served.address;
            scope.spawn(move || {
                let digests = number % 4;
                let terms = Terms {
                    digests,
                    ..Terms::default()
                };
                let mut host = Attached::new(address, &identity, terms);
                let place = u64::from(number) * 1024;
                for round in 0..10_u8 {
                    let data = pattern(number * 16 + round, 65536);
                    assert_eq!(host.write(place, &data).status(), 0);
                    assert!(host.read(place, 128).unwrap() == data);
                    assert_eq!(host.security_receive(1, 512).status(), 0);
                }
            });
        }
    });
    // Hosts 0 and 1 wrote at the same place of different drives.
    for number in 0..2 {
        let identity = Identity::new(&served.subsystems[usize::from(number)], 9);
        let mut host = Attached::new(served.address, &identity, Terms::default());
        let place = u64::from(number) * 1024;
        assert!(host.read(place, 128).unwrap() == pattern(number * 16 + 9, 65536));
    }
}

#[test]
fn sixty_four_connections_are_served_at_once() {
    let served = Served::new(2);
    let mut hosts: Vec<Attached> = (0..32_u8)
        .map(|number| Identity::new(&served.subsystems[usize::from(number % 2)], number))
        .map(|identity| Attached::new(served.address, &identity, Terms::default()))
        .collect();
    for host in &mut hosts {
        assert_eq!(host.read(0, 8).unwrap().len(), 4096);
    }
}

#[test]
fn connections_beyond_the_limit_are_closed_and_room_comes_back() {
    let served = Served::new(1);
    let mut open: Vec<Connection> = Vec::new();
    for _ in 0..256 {
        open.push(Connection::open(served.address, Terms::default()));
    }
    Connection::raw(served.address).end();
    drop(open);
    // The threads end when they see it; a host that was refused tries again.
    let host = (0..200).find_map(|_| {
        let mut queue = Connection::raw(served.address);
        queue.send(&[&[0_u8, 0, 128, 0, 128, 0, 0, 0][..], &[0; 120]].concat());
        queue.receive()
    });
    assert_eq!(host.unwrap().kind, 1);
}

#[test]
fn a_host_that_vanishes_within_its_data_leaves_nothing_behind() {
    let served = Served::new(1);
    let before = served.attach(Terms::default()).read(0, 256).unwrap();
    for part in [0, 1, 512, 65536] {
        let mut host = served.attach(Terms::default());
        host.io.submit(media(1, 0, 256).transfer(131_072), &[]);
        let ready = host.io.next();
        assert_eq!(ready.kind, 9);
        if part > 0 {
            host.io.send_data(&ready, 0, &vec![0xee; part], false);
        }
        drop(host);
        let mut next = served.attach(Terms::default());
        assert!(next.read(0, 256).unwrap() == before, "after {part} bytes");
    }
}

#[test]
fn a_host_that_vanishes_within_a_pdu_leaves_nothing_behind() {
    let served = Served::new(1);
    for length in [0, 1, 7, 8, 71, 72, 100] {
        let mut host = served.attach(Terms::default());
        let mut pdu = vec![4, 0, 72, 72, 72, 2, 0, 0, 1, 0x40];
        pdu.resize(length, 0);
        host.io.send(&pdu);
        drop(host);
    }
    assert_eq!(served.attach(Terms::default()).read(0, 1).status(), 0);
}

#[test]
fn a_power_cycle_ends_every_connection_also_within_a_write() {
    let served = Served::new(2);
    let mut host = served.attach(Terms::default());
    let other = Identity::new(&served.subsystems[1], 2);
    let mut other = Attached::new(served.address, &other, Terms::default());
    host.io.submit(media(1, 0, 256).transfer(131_072), &[]);
    assert_eq!(host.io.next().kind, 9);
    served.server.power_cycle(0).unwrap();
    host.io.end();
    host.admin.end();
    assert_eq!(other.read(0, 1).status(), 0);
    assert_eq!(served.attach(Terms::default()).read(0, 1).status(), 0);
}

#[test]
fn stopping_ends_every_connection() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let mut silent = Connection::raw(served.address);
    let mut initialized = Connection::open(served.address, Terms::default());
    let address = served.address;
    served.server.stop().unwrap();
    host.admin.end();
    host.io.end();
    silent.end();
    initialized.end();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn a_silent_host_is_given_up_by_its_keep_alive() {
    let served = Served::new(1);
    let mut identity = served.identity();
    identity.keep_alive = 400;
    let mut silent = Attached::new(served.address, &identity, Terms::default());
    let mut alive = served.attach(Terms::default());
    silent.io.end();
    silent.admin.end();
    assert_eq!(alive.admin.call(Command::new(0x18, 0)).status(), 0);
}

#[test]
fn data_and_name_outlive_a_restart_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    drop(VirtualDrive::create(&path, &crate::support::options()).unwrap());
    let mut names = Vec::new();
    for round in 0..3_u8 {
        let export = Export::open(&path).unwrap();
        let subsystem = export.nqn().to_string();
        let options = ServerOptions::new().nvme_tcp("127.0.0.1:0".parse().unwrap());
        let server = Server::start(options.export(export)).unwrap();
        let identity = Identity::new(&subsystem, 1);
        names.push(subsystem);
        let address = server.local_addr().unwrap();
        let mut host = Attached::new(address, &identity, Terms::default());
        if round > 0 {
            assert!(host.read(77, 16).unwrap() == pattern(round - 1, 8192));
        }
        assert_eq!(host.write(77, &pattern(round, 8192)).status(), 0);
        server.stop().unwrap();
    }
    names.dedup();
    assert_eq!(names.len(), 1);
}
