//! Bytes written to a table: what is there already is not, and everything is seen to be there in the
//! end.
//!
//! Every byte is read back exactly once after the last write to it: before, if it was as asked and
//! so is not written at all, or at the end. What is on the drive tells how far an interrupted run
//! came, so that the same command goes on there, and no file has to.
//!
//! Each Set takes effect by itself (\[Core\] 5.3.3.7), and [`Atomicity::Blocks`] leaves it at that: a
//! transaction around all of them would be taken back when its session ends, and nothing would be
//! left of an interrupted load to go on with; and the TPer would have to keep a whole table until the
//! commit. With [`Atomicity::Whole`] that is what is wanted: first all is compared, then what differs
//! is written in one transaction, so that whoever reads the table meets the old bytes or the new ones.

use std::io;
use std::ops::Range;

use super::super::error::At;
use super::super::{Cause, Credential, Drive, Error, Mismatch, Step};
use super::access::wide;
use super::block::Block;
use super::compare::{Comparing, wanted};
use super::pace::Pace;
use super::{Access, ByteTable, Contents, OnProgress, Phase, Span, TableName, TableProgress};
use super::{acting, require};
use crate::session;

/// What takes effect together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Atomicity {
    /// Each block by itself.
    #[default]
    Blocks,
    /// Everything or nothing, by a transaction.
    Whole,
    /// As [`Atomicity::Whole`], or each block by itself where the drive refuses a transaction.
    WholeIfPossible,
}

/// How it is shown that the bytes are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verification {
    /// Whatever was written is read back.
    #[default]
    ReadBack,
    /// By the drive's word alone.
    Skipped,
}

/// What may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Overwriting {
    /// Anything.
    Anything,
    /// Blocks that hold nothing but zeros or nothing but ones, as far as they are looked at.
    Blank,
}

/// What is to be written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct WriteRequest {
    /// The table.
    pub table: TableName,
    /// Where the first byte goes.
    pub offset: u64,
    /// What takes effect together.
    pub atomicity: Atomicity,
    /// How it is shown that the bytes are there.
    pub verification: Verification,
}

/// What was found and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteReport {
    /// The table.
    pub table: ByteTable,
    /// Bytes that were to be there.
    pub length: u64,
    /// Bytes of blocks that were read and were there already.
    pub equal: u64,
    /// Bytes of blocks that were written.
    pub written: u64,
    /// Whether every byte was seen to be there.
    pub proven: bool,
    /// Whether what was written took effect together.
    pub atomic: bool,
}

impl Drive {
    /// Writes bytes to a table, in one session.
    pub(in super::super) fn write_table(
        &mut self,
        request: &WriteRequest,
        overwriting: Overwriting,
        contents: &mut dyn Contents<Error = io::Error>,
        credential: &Credential,
        on_progress: OnProgress<'_>,
    ) -> Result<WriteReport, Error> {
        self.require_table(request.table)?;
        let mut session = self.open_for_table(Some(credential), contents.length())?;
        let table = require(&mut session, request.table)?;
        let mut access = Access::new(&mut session, table, acting(Some(credential)));
        let span = access.span(request.offset, contents.length())?;
        let mut writing = Writing {
            contents,
            span,
            overwriting,
            on_progress,
            pace: Pace::new(span.count()),
            runs: Vec::new(),
            equal: 0,
            has_contents: false,
            seen: None,
        };
        let atomic = writing.write(&mut access, request.atomicity)?;
        let proven = match request.verification {
            Verification::ReadBack => writing.read_back(&mut access).map(|()| true)?,
            Verification::Skipped => writing.runs.is_empty(),
        };
        let (equal, written) = (writing.equal, writing.written());
        session.end().at(Step::EndSession)?;
        Ok(WriteReport {
            table,
            length: span.length(),
            equal,
            written,
            proven,
            atomic,
        })
    }
}

/// A write under way.
struct Writing<'w> {
    contents: &'w mut dyn Contents<Error = io::Error>,
    span: Span,
    overwriting: Overwriting,
    on_progress: OnProgress<'w>,
    pace: Pace,
    /// What was written, or is to be.
    runs: Vec<Range<u64>>,
    equal: u64,
    /// Whether a block was seen that is not blank.
    has_contents: bool,
    /// The first block, if it was looked at before the others.
    seen: Option<(Range<u64>, Vec<u8>)>,
}

impl Writing<'_> {
    /// Writes; whether all of it took effect together.
    fn write(&mut self, access: &mut Access<'_, '_>, atomicity: Atomicity) -> Result<bool, Error> {
        if atomicity == Atomicity::Blocks && !self.must_look_first(access)? {
            self.write_blocks(access)?;
            return Ok(self.span.count() <= 1);
        }
        self.find_differences(access)?;
        if atomicity == Atomicity::Blocks {
            self.write_runs(access)?;
            return Ok(self.span.count() <= 1);
        }
        let is_one_block = self.differing_blocks().nth(1).is_none();
        if is_one_block {
            self.write_runs(access)?;
            return Ok(true);
        }
        self.write_together(access, atomicity)
    }

    /// Whether nothing may be written before everything was looked at: something is in the table, and
    /// nobody has consented to lose any of it.
    fn must_look_first(&mut self, access: &mut Access<'_, '_>) -> Result<bool, Error> {
        let first = self.span.blocks().next();
        let (Overwriting::Blank, Some(first)) = (self.overwriting, first) else {
            return Ok(false);
        };
        let found = access.read(first.wanted.clone())?;
        let has_contents = !is_blank(&found);
        self.seen = Some((first.wanted, found));
        Ok(has_contents)
    }

    /// Bytes of the table. Those that were looked at first are not read twice.
    fn read(&mut self, access: &mut Access<'_, '_>, bytes: &Range<u64>) -> Result<Vec<u8>, Error> {
        match self.seen.take() {
            Some((seen, found)) if seen == *bytes => Ok(found),
            _ => access.read(bytes.clone()),
        }
    }

    /// Whether blocks may be written that nobody has looked at.
    fn may_write_unseen(&self) -> bool {
        self.overwriting == Overwriting::Anything || !self.has_contents
    }

    /// Compares and writes block by block.
    fn write_blocks(&mut self, access: &mut Access<'_, '_>) -> Result<(), Error> {
        for block in self.span.blocks() {
            let wanted = wanted(self.contents, &self.span, &block.wanted)?;
            if block.is_whole() && self.may_write_unseen() && self.pace.takes_unseen() {
                access.write(block.table.start, &wanted)?;
                self.note(&block);
            } else {
                self.write_if_different(access, &block, &wanted)?;
            }
            self.tell(Phase::Write, &block);
        }
        Ok(())
    }

    fn write_if_different(
        &mut self,
        access: &mut Access<'_, '_>,
        block: &Block,
        wanted: &[u8],
    ) -> Result<(), Error> {
        let found = self.read(access, &block.table)?;
        self.has_contents |= !is_blank(block.part(&found));
        if block.part(&found) == wanted {
            self.pace.hit();
            self.equal += wide(wanted.len());
            return Ok(());
        }
        self.check_overwriting(block.part(&found))?;
        self.pace.miss();
        access.write(block.table.start, &block.merged(found, wanted))?;
        self.note(block);
        Ok(())
    }

    /// Compares everything; what differs is in `runs` then.
    fn find_differences(&mut self, access: &mut Access<'_, '_>) -> Result<(), Error> {
        for block in self.span.blocks() {
            let wanted = wanted(self.contents, &self.span, &block.wanted)?;
            let found = self.read(access, &block.wanted)?;
            if found == wanted {
                self.equal += wide(wanted.len());
            } else {
                self.check_overwriting(&found)?;
                self.note(&block);
            }
            self.tell(Phase::Compare, &block);
        }
        Ok(())
    }

    /// Writes what differs in a transaction; whether there was one.
    fn write_together(
        &mut self,
        access: &mut Access<'_, '_>,
        atomicity: Atomicity,
    ) -> Result<bool, Error> {
        match self.write_in_transaction(access)? {
            None => Ok(true),
            Some(_) if atomicity == Atomicity::WholeIfPossible => {
                self.write_runs(access).map(|()| false)
            }
            Some(refusal) => Err(Error::at(Step::StartTransaction, refusal)),
        }
    }

    /// Writes what differs in a transaction, unless the drive refuses one: the refusal.
    fn write_in_transaction(
        &mut self,
        access: &mut Access<'_, '_>,
    ) -> Result<Option<session::Error>, Error> {
        let view = access.view;
        let mut transaction = match access.session.transaction() {
            Err(refusal @ session::Error::Status(_)) => return Ok(Some(refusal)),
            transaction => transaction.at(Step::StartTransaction)?,
        };
        self.write_runs(&mut view.on(&mut transaction))?;
        transaction.commit().at(Step::Commit)?;
        Ok(None)
    }

    fn write_runs(&mut self, access: &mut Access<'_, '_>) -> Result<(), Error> {
        let blocks: Vec<Block> = self.differing_blocks().collect();
        for block in blocks {
            let mut bytes = wanted(self.contents, &self.span, &block.wanted)?;
            if !block.is_whole() {
                bytes = block.merged(access.read(block.table.clone())?, &bytes);
            }
            access.write(block.table.start, &bytes)?;
            self.tell(Phase::Write, &block);
        }
        Ok(())
    }

    /// Reads back what was written.
    fn read_back(&mut self, access: &mut Access<'_, '_>) -> Result<(), Error> {
        let total = self.written();
        (self.on_progress)(TableProgress {
            phase: Phase::Verify,
            done: 0,
            total,
        });
        let mut comparing = Comparing {
            contents: &mut *self.contents,
            span: self.span,
            phase: Phase::Verify,
            done: 0,
            total,
            on_progress: &mut *self.on_progress,
        };
        for run in &self.runs {
            if let Some(offset) = comparing.run(access, run.clone())? {
                let table = access.view.table.name;
                let mismatch = Cause::NotAsAsked(Mismatch::Bytes { table, offset });
                return Err(Error::at(Step::ReadBack, mismatch));
            }
        }
        Ok(())
    }

    fn check_overwriting(&self, found: &[u8]) -> Result<(), Error> {
        match self.overwriting {
            Overwriting::Blank if !is_blank(found) => Err(Error::before(Cause::ConsentRequired)),
            _ => Ok(()),
        }
    }

    fn differing_blocks(&self) -> impl Iterator<Item = Block> {
        let runs = self.runs.iter().cloned();
        runs.flat_map(|run| self.span.blocks_of(run))
    }

    fn note(&mut self, block: &Block) {
        let wanted = block.wanted.clone();
        match self.runs.last_mut() {
            Some(run) if run.end == wanted.start => run.end = wanted.end,
            _ => self.runs.push(wanted),
        }
    }

    fn written(&self) -> u64 {
        total(&self.runs)
    }

    fn tell(&mut self, phase: Phase, block: &Block) {
        (self.on_progress)(TableProgress {
            phase,
            done: self.span.within(block.wanted.end),
            total: self.span.length(),
        });
    }
}

fn total(runs: &[Range<u64>]) -> u64 {
    runs.iter().map(|run| run.end - run.start).sum()
}

/// Whether bytes are what is found where nothing was ever written.
pub(in super::super) fn is_blank(bytes: &[u8]) -> bool {
    [0x00, 0xff]
        .iter()
        .any(|blank| bytes.iter().all(|byte| byte == blank))
}
