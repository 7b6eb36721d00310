//! The Linux kernel's host, one method for each ioctl of `linux/sed-opal.h`.
//!
//! Every operation begins with Level 0 Discovery. There are no Properties and no stack reset. What
//! is sent has 2048 bytes, whatever the ComPacket's length; as many are received.

use super::{Answer, Control, Request, Token, frame};
use crate::support::{Bench, HSN as OF_SEDUTIL};

/// The size of every transfer.
const BUFFER: usize = 2048;
/// The kernel's session number.
const HSN: u32 = 0x41;

const ADMIN_SP: u64 = 0x0000_0205_0000_0001;
const LOCKING_SP: u64 = 0x0000_0205_0000_0002;
const THIS_SP: u64 = 1;
const SID: u64 = 0x0000_0009_0000_0006;
const PSID: u64 = 0x0000_0009_0001_ff01;
const ADMIN1: u64 = 0x0000_0009_0001_0001;
const USER: u64 = 0x0000_0009_0003_0000;
const C_PIN: u64 = 0x0000_000b_0000_0000;
const MBR: u64 = 0x0000_0804_0000_0000;
const MBR_CONTROL: u64 = 0x0000_0803_0000_0001;
pub(super) const DATA_STORE: u64 = 0x0000_1001_0000_0000;

/// What an ioctl gives: a method status where it is positive.
pub(super) type Ioctl<T = ()> = Result<T, u8>;

/// Who opens a session of the Locking SP: 0 is Admin1, N is UserN.
pub(super) type Who = u8;

pub(super) const ADMIN: Who = 0;

fn authority(who: Who) -> u64 {
    match who {
        ADMIN => ADMIN1,
        user => USER + u64::from(user),
    }
}

fn range(number: u8) -> u64 {
    match number {
        0 => 0x0000_0802_0000_0001,
        number => 0x0000_0802_0003_0000 + u64::from(number),
    }
}

/// The kernel and its drive.
pub(super) struct Kernel {
    pub(super) bench: Bench,
    com_id: u16,
    session: (u32, u32),
}

impl Kernel {
    pub(super) fn new(bench: Bench) -> Self {
        assert_ne!(HSN, OF_SEDUTIL);
        let com_id = bench.com_id().0;
        Self {
            bench,
            com_id,
            session: (0, 0),
        }
    }

    /// IOC_OPAL_GET_STATUS and the beginning of every other: the flags of the Locking feature.
    pub(super) fn discovery(&mut self) -> u8 {
        let level0 = self.bench.recv(0x01, 0x0001, BUFFER).unwrap();
        let length = usize::from(level0[2]) << 8 | usize::from(level0[3]);
        assert_eq!((level0[0], level0[1], 4 + length), (0, 0, level0.len()));
        assert!(level0.len() <= 2000);
        let (mut rest, mut flags, mut opal) = (&level0[48..], 0, None);
        while let [high, low, _, length, after @ ..] = rest {
            let (data, next) = after.split_at(usize::from(*length));
            match u16::from(*high) << 8 | u16::from(*low) {
                0x0001 => assert_eq!(data[0] & 1, 1, "Sync Supported"),
                0x0002 => flags = data[0],
                0x0200 | 0x0203 => opal = Some(u16::from(data[0]) << 8 | u16::from(data[1])),
                _ => {}
            }
            rest = next;
        }
        assert_eq!(opal, Some(self.com_id));
        flags
    }

    /// Sends, and receives again and again without a pause while the TPer is at work.
    fn exchange(&mut self, tokens: &[u8]) -> Answer {
        let frame = frame(self.com_id, self.session, tokens, BUFFER);
        self.bench.send(0x01, self.com_id, &frame).unwrap();
        loop {
            let bytes = self.bench.recv(0x01, self.com_id, BUFFER).unwrap();
            let [outstanding, min_transfer] =
                [8, 12].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()));
            if outstanding == 0 || min_transfer != 0 {
                return Answer::read(&bytes, self.com_id, self.session);
            }
        }
    }

    /// A method whose failure ends the session.
    fn call(&mut self, tokens: &[u8]) -> Ioctl<Answer> {
        let answer = self.exchange(tokens);
        match answer.status() {
            0 => Ok(answer),
            status => {
                self.end();
                Err(status)
            }
        }
    }

    pub(super) fn start(&mut self, sp: u64, by: Option<(u64, &[u8])>) -> Ioctl {
        self.session = (0, 0);
        let call = Request::start_session(HSN, sp);
        let call = match by {
            Some((authority, key)) => call
                .named(0, |request| request.bytes(key))
                .named(3, |request| request.uid(authority)),
            None => call,
        };
        let answer = self.exchange(&call.finish());
        match answer.status() {
            0 => {}
            status => return Err(status),
        }
        let start = [Control(0xf8), uid(0xff), uid(0xff03), Control(0xf0)];
        assert_eq!(answer.0[..4], start);
        assert_eq!(answer.uint(4), u64::from(HSN));
        assert!(answer.uint(5) >= 4096);
        self.session = (u32::try_from(answer.uint(5)).unwrap(), HSN);
        Ok(())
    }

    /// End of Session, with the trailer of a method behind it.
    fn end(&mut self) {
        let answer = self.exchange(&[0xfa, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1]);
        assert_eq!(answer.0, [Control(0xfa)]);
        self.session = (0, 0);
    }

    /// One column, the value of which stands in the fifth place.
    fn get(&mut self, object: u64, column: u64) -> Ioctl<Answer> {
        let answer = self.call(&Request::get(object, column, column))?;
        answer.check_cell(column);
        Ok(answer)
    }

    /// Discovery, a session, one method, the end of the session.
    fn one(&mut self, sp: u64, by: Option<(u64, &[u8])>, tokens: &[u8]) -> Ioctl {
        self.discovery();
        self.start(sp, by)?;
        self.call(tokens)?;
        self.end();
        Ok(())
    }

    fn locking(&mut self, who: Who, key: &[u8], tokens: &[u8]) -> Ioctl {
        self.one(LOCKING_SP, Some((authority(who), key)), tokens)
    }

    /// A method after which the TPer ends the session, and nothing more is sent.
    fn last(&mut self, sp: u64, by: (u64, &[u8]), tokens: &[u8]) -> Ioctl {
        self.discovery();
        self.start(sp, Some(by))?;
        self.call(tokens)?;
        self.session = (0, 0);
        Ok(())
    }

    pub(super) fn take_ownership(&mut self, key: &[u8]) -> Ioctl {
        self.discovery();
        self.start(ADMIN_SP, None)?;
        let msid = self.get(C_PIN | 0x8402, 3)?.bytes(4).to_vec();
        self.end();
        self.start(ADMIN_SP, Some((SID, &msid)))?;
        self.call(&Request::set_pin(C_PIN | 1, |request| request.bytes(key)))?;
        self.end();
        Ok(())
    }

    pub(super) fn activate_lsp(&mut self, key: &[u8]) -> Ioctl {
        self.discovery();
        self.start(ADMIN_SP, Some((SID, key)))?;
        assert_eq!(self.get(LOCKING_SP, 6)?.uint(4), 8);
        self.call(&Request::call(LOCKING_SP, 0x203).finish())?;
        self.end();
        Ok(())
    }

    pub(super) fn set_sid_pw(&mut self, old: &[u8], new: &[u8]) -> Ioctl {
        let set = Request::set_pin(C_PIN | 1, |request| request.bytes(new));
        self.one(ADMIN_SP, Some((SID, old)), &set)
    }

    pub(super) fn set_pw(&mut self, by: (Who, &[u8]), whose: Who, new: &[u8]) -> Ioctl {
        let row = C_PIN | (authority(whose) & 0xffff_ffff);
        let set = Request::set_pin(row, |request| request.bytes(new));
        self.locking(by.0, by.1, &set)
    }

    pub(super) fn activate_user(&mut self, admin: &[u8], user: Who) -> Ioctl {
        let set = Request::set(authority(user), &[(5, 1)]);
        self.locking(ADMIN, admin, &set)
    }

    /// One lock of a range for a User: `UserN` alone may use it then, and may read the range.
    pub(super) fn add_user_to_lr(&mut self, admin: &[u8], user: Who, lr: u8, write: bool) -> Ioctl {
        let locked: u64 = if write { 0xe800 } else { 0xe000 };
        let ace = |base: u64| 0x0000_0008_0003_0000 | (base + u64::from(lr));
        self.discovery();
        self.start(LOCKING_SP, Some((ADMIN1, admin)))?;
        self.call(&set_expression(ace(locked), &[authority(user)]))?;
        self.call(&set_expression(ace(0xd000), &[ADMIN1, authority(user)]))?;
        self.end();
        Ok(())
    }

    /// Older kernels name the User twice, with OR.
    pub(super) fn add_user_twice(&mut self, admin: &[u8], user: Who, lr: u8, write: bool) -> Ioctl {
        let locked: u64 = if write { 0xe800 } else { 0xe000 };
        let ace = 0x0000_0008_0003_0000 | (locked + u64::from(lr));
        let user = authority(user);
        self.locking(ADMIN, admin, &set_expression(ace, &[user, user]))
    }

    pub(super) fn lr_setup(&mut self, admin: &[u8], lr: u8, span: (u64, u64), on: u64) -> Ioctl {
        let set = match lr {
            0 => Request::set(range(0), &[(5, on), (6, on), (7, 0), (8, 0)]),
            lr => Request::set(range(lr), &[(3, span.0), (4, span.1), (5, on), (6, on)]),
        };
        self.locking(ADMIN, admin, &set)
    }

    /// As later kernels have it: place first, then flags, in one session.
    pub(super) fn lr_setup_in_two(&mut self, admin: &[u8], lr: u8, span: (u64, u64)) -> Ioctl {
        self.discovery();
        self.start(LOCKING_SP, Some((ADMIN1, admin)))?;
        self.call(&Request::set(range(lr), &[(3, span.0), (4, span.1)]))?;
        let flags = [(5, 1), (6, 1), (7, 0), (8, 0)];
        self.call(&Request::set(range(lr), &flags))?;
        self.end();
        Ok(())
    }

    pub(super) fn lock_unlock(&mut self, by: (Who, &[u8]), lr: u8, locks: (u64, u64)) -> Ioctl {
        let set = Request::set(range(lr), &[(7, locks.0), (8, locks.1)]);
        self.locking(by.0, by.1, &set)
    }

    /// Columns 3 to 8, all of them, in order.
    pub(super) fn lr_status(&mut self, by: (Who, &[u8]), lr: u8) -> Ioctl<[u64; 6]> {
        self.discovery();
        self.start(LOCKING_SP, Some((authority(by.0), by.1)))?;
        let answer = self.call(&Request::get(range(lr), 3, 8))?;
        self.end();
        let mut status = [0; 6];
        for (column, place) in (3_u64..).zip(0..6) {
            let at = 2 + 4 * place;
            assert_eq!(answer.0[at], Control(0xf2));
            assert_eq!(answer.uint(at + 1), column);
            status[place] = answer.uint(at + 2);
            assert_eq!(answer.0[at + 3], Control(0xf3));
        }
        assert_eq!(answer.0.len(), 2 + 24 + 2 + 6);
        Ok(status)
    }

    pub(super) fn erase_lr(&mut self, by: (Who, &[u8]), lr: u8) -> Ioctl {
        self.locking(by.0, by.1, &Request::call(range(lr), 0x803).finish())
    }

    pub(super) fn secure_erase_lr(&mut self, by: (Who, &[u8]), lr: u8) -> Ioctl {
        self.discovery();
        self.start(LOCKING_SP, Some((authority(by.0), by.1)))?;
        let key = self.get(range(lr), 10)?;
        let key = u64::from_be_bytes(key.bytes(4).try_into().unwrap());
        self.call(&Request::call(key, 0x10).finish())?;
        self.end();
        Ok(())
    }

    fn set_mbr(&mut self, admin: &[u8], column: u64, value: u64) -> Ioctl {
        self.locking(ADMIN, admin, &Request::set(MBR_CONTROL, &[(column, value)]))
    }

    /// Done first, and then Enable.
    pub(super) fn enable_disable_mbr(&mut self, admin: &[u8], enable: bool) -> Ioctl {
        let enable = u64::from(enable);
        self.set_mbr(admin, 2, enable)?;
        self.set_mbr(admin, 1, enable)
    }

    pub(super) fn mbr_done(&mut self, admin: &[u8], done: bool) -> Ioctl {
        self.set_mbr(admin, 2, u64::from(done))
    }

    pub(super) fn write_shadow_mbr(&mut self, admin: &[u8], offset: u64, data: &[u8]) -> Ioctl {
        self.write_table(admin, MBR, offset, data)
    }

    /// The number of rows, then chunks of what fits into 2048 bytes, whatever the granularity.
    pub(super) fn write_table(
        &mut self,
        admin: &[u8],
        table: u64,
        offset: u64,
        data: &[u8],
    ) -> Ioctl {
        self.discovery();
        self.start(LOCKING_SP, Some((ADMIN1, admin)))?;
        let rows = self.get(0x0000_0001_0000_0000 | (table >> 32), 7)?.uint(4);
        let end = offset + u64::try_from(data.len()).unwrap();
        assert!(end <= rows);
        let mut at = offset;
        for chunk in data.chunks(1950) {
            let set = Request::call(table, 0x17)
                .named(0, |request| request.uint(at))
                .named(1, |request| request.bytes(chunk));
            self.call(&set.finish())?;
            at += u64::try_from(chunk.len()).unwrap();
        }
        self.end();
        Ok(())
    }

    /// The number of rows, then 1982 bytes at a time: the answer fills the buffer exactly.
    pub(super) fn read_table(
        &mut self,
        admin: &[u8],
        table: u64,
        offset: u64,
        size: usize,
    ) -> Ioctl<Vec<u8>> {
        self.discovery();
        self.start(LOCKING_SP, Some((ADMIN1, admin)))?;
        self.get(0x0000_0001_0000_0000 | (table >> 32), 7)?;
        let mut data = Vec::new();
        while data.len() < size {
            let start = offset + u64::try_from(data.len()).unwrap();
            let count = u64::try_from((size - data.len()).min(1982)).unwrap();
            let block = |request: Request| {
                request
                    .named(1, |r| r.uint(start))
                    .named(2, |r| r.uint(start + count - 1))
            };
            let answer = self.call(&Request::call(table, 0x16).list(block).finish())?;
            assert_eq!(answer.0[0], Control(0xf0));
            assert_eq!(answer.0[2], Control(0xf1));
            data.extend(answer.bytes(1));
        }
        self.end();
        Ok(data)
    }

    pub(super) fn revert_tper(&mut self, key: &[u8]) -> Ioctl {
        let revert = Request::call(ADMIN_SP, 0x202).finish();
        self.last(ADMIN_SP, (SID, key), &revert)
    }

    pub(super) fn psid_revert_tper(&mut self, key: &[u8]) -> Ioctl {
        let revert = Request::call(ADMIN_SP, 0x202).finish();
        self.last(ADMIN_SP, (PSID, key), &revert)
    }

    pub(super) fn revert_lsp(&mut self, admin: &[u8], keep: bool) -> Ioctl {
        let revert =
            Request::call(THIS_SP, 0x11).named(0x06_0000, |request| request.uint(u64::from(keep)));
        self.last(LOCKING_SP, (ADMIN1, admin), &revert.finish())
    }

    /// Columns of LockingInfo that only Single User Mode has, read by Anybody: exactly these two, in
    /// order, the first a list of ranges or one UID.
    pub(super) fn sum_status(&mut self) -> Ioctl<SumStatus> {
        let get = Request::get(0x0000_0801_0000_0001, 0x06_0000, 0x06_0001);
        self.discovery();
        self.start(LOCKING_SP, None)?;
        let answer = self.call(&get)?;
        self.end();
        Ok(SumStatus::read(&answer))
    }

    /// Reactivate: ranges, a policy and a new PIN of Admin1, each if given. Nothing is sent after it.
    pub(super) fn reactivate_lsp(
        &mut self,
        admin: &[u8],
        ranges: &[u8],
        policy: Option<u64>,
        new: Option<&[u8]>,
    ) -> Ioctl {
        let mut call = Request::call(THIS_SP, 0x801);
        if !ranges.is_empty() {
            call = call.named(0x06_0000, |request| request.list(range_list(ranges)));
        }
        if let Some(policy) = policy {
            call = call.named(0x06_0001, |request| request.uint(policy));
        }
        if let Some(new) = new {
            call = call.named(0x06_0002, |request| request.bytes(new));
        }
        self.last(LOCKING_SP, (ADMIN1, admin), &call.finish())
    }

    /// Start and length alone, by whoever the policy lets.
    pub(super) fn lr_set_start_len(&mut self, by: (Who, &[u8]), lr: u8, span: (u64, u64)) -> Ioctl {
        let set = Request::set(range(lr), &[(3, span.0), (4, span.1)]);
        self.locking(by.0, by.1, &set)
    }

    /// The User sets up its range in one session: place, if the policy lets it, then all four flags.
    pub(super) fn lr_setup_sum(
        &mut self,
        user: (Who, &[u8]),
        lr: u8,
        span: Option<(u64, u64)>,
    ) -> Ioctl {
        self.discovery();
        self.start(LOCKING_SP, Some((authority(user.0), user.1)))?;
        if let Some(span) = span {
            self.call(&Request::set(range(lr), &[(3, span.0), (4, span.1)]))?;
        }
        let flags = [(5, 1), (6, 1), (7, 0), (8, 0)];
        self.call(&Request::set(range(lr), &flags))?;
        self.end();
        Ok(())
    }

    /// As the kernel locks in Single User Mode: 5, 6, 7, 8 in one Set, with both locks enabled.
    pub(super) fn lock_unlock_sum(
        &mut self,
        user: (Who, &[u8]),
        lr: u8,
        locks: (u64, u64),
    ) -> Ioctl {
        let set = Request::set(range(lr), &[(5, 1), (6, 1), (7, locks.0), (8, locks.1)]);
        self.locking(user.0, user.1, &set)
    }

    /// Activate in Single User Mode of some ranges.
    pub(super) fn activate_sum(&mut self, key: &[u8], ranges: &[u8]) -> Ioctl {
        let list = |request: Request| request.list(range_list(ranges));
        let activate = Request::call(LOCKING_SP, 0x203).named(0x06_0000, list);
        self.one(ADMIN_SP, Some((SID, key)), &activate.finish())
    }

    /// Opens a session of Admin1 and forgets it.
    pub(super) fn vanish(&mut self, admin: &[u8]) {
        self.start(LOCKING_SP, Some((ADMIN1, admin))).unwrap();
        self.session = (0, 0);
    }
}

/// What LockingInfo tells of Single User Mode.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SumStatus {
    /// The ranges; `None` is the whole table.
    pub(super) ranges: Option<Vec<u8>>,
    /// RangeStartRangeLengthPolicy.
    pub(super) policy: u64,
}

impl SumStatus {
    fn read(answer: &Answer) -> Self {
        let start = [Control(0xf0), Control(0xf0), Control(0xf2)];
        assert_eq!(answer.0[..3], start);
        assert_eq!(answer.uint(3), 0x06_0000);
        let (ranges, end) = if answer.0[4] == uid(0x0000_0802_0000_0000) {
            (None, 5)
        } else {
            assert_eq!(answer.0[4], Control(0xf0));
            let numbers = (0_u8..=255).filter(|lr| answer.0[5..].contains(&uid(range(*lr))));
            let numbers: Vec<u8> = numbers.collect();
            let end = 5 + numbers.len();
            assert_eq!(answer.0[end], Control(0xf1));
            (Some(numbers), end + 1)
        };
        let between = [Control(0xf3), Control(0xf2), Token::Uint(0x06_0001)];
        assert_eq!(answer.0[end..end + 3], between);
        let policy = answer.uint(end + 3);
        let rest = [Control(0xf3), Control(0xf1), Control(0xf1), Control(0xf9)];
        assert_eq!(answer.0[end + 4..end + 8], rest);
        Self { ranges, policy }
    }
}

/// Appends the UIDs of ranges.
fn range_list(ranges: &[u8]) -> impl FnOnce(Request) -> Request + '_ {
    |request| {
        ranges
            .iter()
            .fold(request, |request, &number| request.uid(range(number)))
    }
}

fn uid(uid: u64) -> Token {
    Token::Bytes(uid.to_be_bytes().to_vec())
}

/// Set of BooleanExpr: authorities, and OR between them in postfix order.
fn set_expression(ace: u64, authorities: &[u64]) -> Vec<u8> {
    let half = |request: Request, name: u32| request.raw(0xf2).bytes(&name.to_be_bytes());
    let terms = |request: Request| {
        let mut request = request;
        for (index, authority) in authorities.iter().enumerate() {
            request = half(request, 0x0c05).uid(*authority).raw(0xf3);
            if index > 0 {
                request = half(request, 0x040e).uint(1).raw(0xf3);
            }
        }
        request
    };
    Request::call(ace, 0x17)
        .named(1, |request| request.list(|r| r.named(3, |r| r.list(terms))))
        .finish()
}
