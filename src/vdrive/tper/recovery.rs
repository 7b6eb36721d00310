//! What single crashes must not do; the crashes at every write are in `crash`.

use super::crash::{call, new_rig, open, rig_with, run, set_bytes, start, tokens};
use super::*;
use crate::spec::{RangeNumber, Uid, method, uid};
use crate::vdrive::label::Label;
use crate::vdrive::profile::RemovedData;
use crate::vdrive::store::Area;
use crate::vdrive::store::crash::{Fate, Rig};
use crate::wire::MethodCall;

/// Sends a frame, and fetches the answer.
fn exchange(tper: &mut Tper, frame: &[u8]) {
    run(tper, Some(frame)).unwrap();
    run(tper, None).unwrap();
}

fn begin(tper: &mut Tper, sp: Uid, authority: Uid) {
    exchange(tper, &start(sp, authority, &Label::sample().msid));
}

/// Activates the Locking SP, and opens a session of Admin1 on it.
fn activate(tper: &mut Tper) {
    begin(tper, uid::ADMIN_SP, uid::SID);
    let frame = call(tper, &MethodCall::new(uid::LOCKING_SP, method::ACTIVATE));
    exchange(tper, &frame);
    let frame = tokens(tper, &[0xfa]);
    exchange(tper, &frame);
    begin(tper, uid::LOCKING_SP, uid::ADMIN1);
    assert_eq!(tper.power.sessions.len(), 1);
}

/// A drive on which Admin1 has a session open, after some more packets.
fn prepared(rig: &Rig, packets: &[fn(&Tper) -> Vec<u8>]) -> Rig {
    let (store, watch) = rig.failing(usize::MAX, Fate::Killed);
    let mut tper = open(store);
    activate(&mut tper);
    for packet in packets {
        let frame = packet(&tper);
        exchange(&mut tper, &frame);
    }
    watch.after_kill()
}

fn gen_key(tper: &Tper) -> Vec<u8> {
    let key = uid::k_aes_256(RangeNumber::GLOBAL);
    call(tper, &MethodCall::new(key, method::GEN_KEY))
}

fn read(tper: &Tper, area: Area) -> [u8; 4] {
    let mut bytes = [0; 4];
    tper.store.read(area, 0, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_a_host_writes_after_an_erase_is_not_cleared_again() {
    // Reference 5.4.4: old data read as zeros, new data as they are, whenever the file is opened.
    let zeros = rig_with(|options| {
        options.profile.behaviour.removed_data = RemovedData::Zeros;
    });
    let rig = prepared(&zeros, &[]);
    let (store, watch) = rig.failing(usize::MAX, Fate::Killed);
    let mut tper = open(store);
    let frame = gen_key(&tper);
    exchange(&mut tper, &frame);
    let (_, store) = tper.media().unwrap();
    store.write(Area::Medium, 0, b"data").unwrap();
    assert_eq!(
        read(&open(watch.after_kill().store()), Area::Medium),
        *b"data"
    );
}

#[test]
fn a_replaced_key_is_wiped_when_the_file_is_opened_after_a_crash() {
    // [Opal] 5.1.2; reference 5.4.4: the old key is unrecoverable, also if the program is killed
    // between the record with the new key and the wiping of the one before.
    let rig = prepared(&new_rig(), &[]);
    let old = open(rig.store()).state.keys.first().cloned().unwrap();
    let hex = serde_json::to_string(&old).unwrap();
    let mut replaced = 0;
    for left in 0.. {
        let (store, watch) = rig.failing(left, Fate::Killed);
        if let Ok(mut tper) = Tper::open(store, Box::new(|| 1000)) {
            let frame = gen_key(&tper);
            let _ = run(&mut tper, Some(&frame));
        }
        let (store, later) = watch.after_kill().failing(usize::MAX, Fate::Killed);
        let is_new = open(store).state.keys.first() != Some(&old);
        replaced += usize::from(is_new);
        assert_eq!(later.after_kill().holds(hex.as_bytes()), !is_new, "{left}");
        if !watch.failed() {
            break;
        }
    }
    assert!(replaced > 1);
}

#[test]
fn a_boot_of_the_host_is_a_power_cycle() {
    // Reference 5.6.3: sessions and responses are gone, though the state record has a copy of them.
    let (store, watch) = new_rig().failing(usize::MAX, Fate::Killed);
    let mut tper = open(store);
    activate(&mut tper);
    let frame = call(
        &tper,
        &MethodCall::new(uid::k_aes_256(RangeNumber::GLOBAL), method::GEN_KEY),
    );
    run(&mut tper, Some(&frame)).unwrap();
    let sent = tper.power.stats.total().send;
    let later = open(watch.after_power_cut(0).store());
    assert!(later.power.sessions.is_empty());
    assert!(
        later
            .power
            .stacks
            .iter()
            .all(|stack| stack.responses.is_empty())
    );
    assert_eq!(later.power.stats.total().send, sent);
    // On the same boot they are there.
    let same = open(watch.after_kill().store());
    assert_eq!(same.power.sessions.len(), 1);
}

#[test]
fn a_new_transaction_does_not_touch_what_the_same_packet_commits() {
    // [Core] 3.3.8: a rollback takes back nothing that was committed before.
    let rig = prepared(
        &new_rig(),
        &[
            |tper| tokens(tper, &[0xfb, 0]),
            |tper| set_bytes(tper, uid::MBR, 0, b"good"),
            |tper| {
                let set = MethodCall::new(uid::MBR, method::SET)
                    .optional(0, 2_u64)
                    .optional(1, &b"evil"[..]);
                tokens(tper, &[&[0xfc, 0, 0xfb, 0][..], &set.encode()].concat())
            },
            |tper| tokens(tper, &[0xfc, 1]),
        ],
    );
    assert_eq!(read(&open(rig.store()), Area::Mbr), *b"good");
}

#[test]
fn a_set_over_staged_bytes_is_whole_or_ends_the_transaction() {
    // [Core] 3.3.8: what is committed after a crash is one Set or the other, and no mixture.
    let rig = prepared(
        &new_rig(),
        &[
            |tper| tokens(tper, &[0xfb, 0]),
            |tper| set_bytes(tper, uid::MBR, 0, b"aaaa"),
        ],
    );
    for left in 0.. {
        let (store, watch) = rig.failing(left, Fate::Killed);
        if let Ok(mut tper) = Tper::open(store, Box::new(|| 1000)) {
            let frame = set_bytes(&tper, uid::MBR, 0, b"bbbb");
            let _ = run(&mut tper, Some(&frame));
        }
        let mut tper = open(watch.after_kill().store());
        if !tper.power.sessions.is_empty() {
            run(&mut tper, None).unwrap();
            let frame = tokens(&tper, &[0xfc, 0]);
            exchange(&mut tper, &frame);
            let found = read(&tper, Area::Mbr);
            assert!([*b"aaaa", *b"bbbb"].contains(&found), "{left}: {found:?}");
        }
        if !watch.failed() {
            break;
        }
    }
}

#[test]
fn a_restart_forgets_what_a_broken_command_has_changed() {
    let (store, watch) = new_rig().failing(usize::MAX, Fate::Killed);
    let mut tper = open(store);
    begin(&mut tper, uid::ADMIN_SP, uid::SID);
    tper.edit().active = true;
    let _ = tper.fail(KeepError::Contradiction);
    tper.restart().unwrap();
    for tper in [tper, open(watch.after_kill().store())] {
        assert!(!tper.state.active);
        assert!(tper.power.sessions.is_empty());
    }
}
