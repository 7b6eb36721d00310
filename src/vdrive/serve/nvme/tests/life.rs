//! How controllers end: their host leaves or is silent, or the power goes.

use std::thread;
use std::time::{Duration, Instant};

use super::super::Event;
use super::{Bench, Connect, DISABLED, ENABLED, Sqe, media, options, read, write};

#[test]
fn a_controller_ends_with_its_admin_queue() {
    let bench = Bench::new();
    let (admin, mut io) = bench.host();
    drop(admin);
    assert_eq!(io.events(), [Event::Close]);
    assert_eq!(io.try_send(read(0, 1), &[]), None);
    let late = Connect::io(2, 1);
    bench.queue().connect(&late).refused(0x4182);
}

#[test]
fn an_io_queue_leaves_the_others_alone() {
    let bench = Bench::new();
    let (mut admin, io) = bench.host();
    let mut other = bench.io_queue(&mut admin, 2);
    drop(io);
    other.get(read(0, 1)).success();
    assert_eq!((admin.events(), other.events()), (vec![], vec![]));
}

#[test]
fn loss_of_power_ends_every_connection_of_that_drive() {
    let bench = Bench::with(2, &options(512));
    let (mut admin, mut io) = bench.host();
    let mut second = bench.admin();
    let mut other = bench.admin_of(1);
    let mut unconnected = bench.queue();
    bench.drives[0].power_cycle().unwrap();
    bench.port.lose_power(0);
    for queue in [&mut admin, &mut io, &mut second] {
        assert_eq!(queue.events(), [Event::Close]);
        assert_eq!(queue.try_send(Sqe::new(0x18), &[]), None);
        assert_eq!(queue.try_send(write(0, 1), &[]), None);
    }
    assert_eq!(other.events(), []);
    other.identify(1, 0).success();
    unconnected.connect(&Connect::admin(0)).success();
}

#[test]
fn nothing_is_answered_between_the_power_cut_and_its_announcement() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    bench.drives[0].power_cycle().unwrap();
    assert_eq!(io.try_send(write(0, 1), &[1; 512]), None);
    assert_eq!(io.try_send(media(0x08, 0, 1), &[]), None);
    let receive = Sqe::new(0x82).cdw(10, 0x0100_0100).cdw(11, 512).sgl(512);
    assert_eq!(admin.try_send(receive, &[]), None);
    let send = Sqe::new(0x81).cdw(10, 0x0100_0100).cdw(11, 512).sgl(512);
    assert_eq!(admin.try_send(send, &[0; 512]), None);
    assert_eq!(bench.drives[0].lock().read(0, 1).unwrap(), [0; 512]);
}

#[test]
fn a_silent_host_is_given_up_after_three_timeouts() {
    let bench = Bench::new();
    let (mut admin, io) = bench.host();
    admin.get(Sqe::new(0x18)).success();
    let now = Instant::now();
    bench.port.tick(now + Duration::from_millis(14_900));
    assert_eq!(admin.events(), []);
    bench.port.tick(now + Duration::from_millis(15_100));
    assert_eq!(admin.events(), [Event::Close]);
    assert_eq!(io.events(), [Event::Close]);
    assert_eq!(admin.try_send(Sqe::new(0x18), &[]), None);
}

#[test]
fn no_keep_alive_timeout_is_no_limit() {
    let bench = Bench::new();
    let mut admin = bench.admin();
    admin.set_feature(0x0f, 0).success();
    bench.port.tick(Instant::now() + Duration::from_hours(24));
    assert_eq!(admin.events(), []);
    admin.set_feature(0x0f, 1000).success();
    bench
        .port
        .tick(Instant::now() + Duration::from_millis(3500));
    assert_eq!(admin.events(), [Event::Close]);
}

#[test]
fn a_controller_stays_disabled_for_two_minutes() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    queue.connect(&Connect::admin(0)).success();
    let now = Instant::now();
    bench.port.tick(now + Duration::from_secs(110));
    assert_eq!(queue.events(), []);
    bench.port.tick(now + Duration::from_secs(130));
    assert_eq!(queue.events(), [Event::Close]);
}

#[test]
fn a_reset_ends_the_io_queues_and_forgets_features() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    admin.set_feature(0x0b, 0x100).success();
    assert_eq!(admin.try_send(Sqe::new(0x0c).cid(9), &[]), None);
    admin.set_cc(DISABLED);
    assert_eq!(io.events(), [Event::Close]);
    assert_eq!(admin.events(), []);
    assert_eq!(io.try_send(read(0, 1), &[]), None);
    admin.set_cc(ENABLED);
    assert_eq!(admin.get_feature(0x0b).success().result, 0);
    assert_eq!(admin.get_feature(0x0f).success().result, 5000);
    // The request for events is forgotten, and its CID free.
    admin.get(Sqe::new(0x18).cid(9)).success();
    let mut again = bench.io_queue(&mut admin, 1);
    // The queue of before is no queue of the controller, though that is ready again.
    assert_eq!(io.try_send(read(0, 1), &[]), None);
    drop(io);
    again.get(read(0, 1)).success();
    assert_eq!(again.events(), []);
}

/// Long enough for a thread to come to where it waits. Nothing fails if it does not.
const MOMENT: Duration = Duration::from_millis(100);

#[test]
fn a_write_that_waits_for_the_drive_is_not_done_after_a_reset() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    let events = io.events.clone();
    let is_closed = || events.lock().unwrap().contains(&Event::Close);
    let held = bench.drives[0].lock();
    thread::scope(|scope| {
        let stale = scope.spawn(move || io.try_send(write(0, 1), &[1; 512]));
        thread::sleep(MOMENT);
        let reset = scope.spawn(move || admin.set_cc(DISABLED));
        while !is_closed() {
            thread::yield_now();
        }
        thread::sleep(MOMENT);
        assert!(!reset.is_finished(), "RDY goes while a command is at work");
        drop(held);
        assert_eq!(stale.join().unwrap(), None);
        reset.join().unwrap();
    });
    assert_eq!(bench.drives[0].lock().read(0, 1).unwrap(), [0; 512]);
}

#[test]
fn what_waits_for_the_drive_while_power_is_cut_reaches_it_no_more() {
    let bench = Bench::new();
    let mut admin = bench.admin();
    let sends = || bench.drives[0].lock().stats().total().send;
    let before = sends();
    let held = bench.drives[0].lock();
    thread::scope(|scope| {
        let cut = scope.spawn(|| bench.drives[0].power_cycle());
        thread::sleep(MOMENT);
        let send = Sqe::new(0x81).cdw(10, 0x0110_0400).cdw(11, 512).sgl(512);
        let stale = scope.spawn(move || admin.try_send(send, &[0; 512]));
        thread::sleep(MOMENT);
        drop(held);
        cut.join().unwrap().unwrap();
        let is_answered = stale.join().unwrap().is_some();
        assert_eq!(sends() - before, u64::from(is_answered));
    });
}
