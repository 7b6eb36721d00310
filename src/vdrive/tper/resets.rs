//! What resets do (\[Core\] 3.3.5, \[Opal\] 3.2.3, 4.3.5.2.2; \[SIIS\] 5; \[Block SID\] 4.3).

use super::state::{Block, Power, Stack};
use super::tables::{SpId, locking};
use super::{KeepError, Tper};
use crate::spec::{ComId, column, uid};

/// A TCG reset event, which `LockOnReset` and `DoneOnReset` name by number (`reset_types`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reset {
    /// Power was lost and came back.
    PowerCycle,
    /// A hardware reset of the interface that the interface's standard maps to TCG.
    Hardware,
    /// TPER_RESET.
    Programmatic,
}

impl Reset {
    /// The number in `reset_types`.
    const fn number(self) -> u64 {
        match self {
            Self::PowerCycle => 0,
            Self::Hardware => 1,
            Self::Programmatic => 3,
        }
    }
}

impl Tper {
    /// An event that comes from outside: power cycle or hardware reset.
    pub(crate) fn reset_from_outside(&mut self, reset: Reset) -> Result<(), KeepError> {
        self.reset(reset);
        self.keep()
    }

    /// A power cycle after which nothing is left of what memory holds: all of it comes from the file.
    pub(crate) fn restart(&mut self) -> Result<(), KeepError> {
        self.forget()?;
        self.reset_from_outside(Reset::PowerCycle)
    }

    /// A reset of the interface that is no TCG reset: what waits for IF-RECV is lost, and every
    /// ComID is Awaiting IF-SEND. Sessions go on.
    pub(crate) fn lose_responses(&mut self) -> Result<(), KeepError> {
        let com_ids: Vec<_> = self.state.profile.com_ids().collect();
        for com_id in com_ids {
            self.finish_work(ComId(com_id));
        }
        for stack in &mut self.power.stacks {
            stack.responses.clear();
            stack.polls = 0;
            stack.empty_answers = 0;
            stack.management = None;
        }
        self.power.is_mute = false;
        self.keep()
    }

    /// Every session, transaction and response is gone, and no host is told.
    pub(super) fn reset(&mut self, reset: Reset) {
        if self.is_removing_data() {
            self.edit().removal_interrupted = true;
        }
        let after = Power::up(&self.state.profile, self.sid_is_msid(), &self.power);
        let before = std::mem::replace(&mut self.power, after);
        if reset != Reset::PowerCycle {
            self.power.tries = before.tries;
            self.power.block = block_after(before.block, reset);
            self.power.is_mute = before.is_mute && reset != Reset::Hardware;
            self.power.is_hung = before.is_hung;
            self.power.medium_is_shut = before.medium_is_shut;
        }
        self.edit();
        self.lock_on(reset);
    }

    /// LockOnReset and DoneOnReset. They work whether or not a lock is enabled.
    fn lock_on(&mut self, reset: Reset) {
        let applies = reset != Reset::Hardware || self.state.profile.hardware_reset_locks;
        if !self.state.active || !applies {
            return;
        }
        let number = reset.number();
        for range in locking::ranges(&self.state.profile) {
            let row = uid::locking_range(range);
            let view = self.view(SpId::Locking);
            if view.contains(row, column::locking::LOCK_ON_RESET, number) {
                let locking = &mut self.edit().locking;
                locking.set(row, column::locking::READ_LOCKED, true);
                locking.set(row, column::locking::WRITE_LOCKED, true);
            }
        }
        let view = self.view(SpId::Locking);
        if view.contains(uid::MBR_CONTROL, column::mbr_control::DONE_ON_RESET, number) {
            let locking = &mut self.edit().locking;
            locking.set(uid::MBR_CONTROL, column::mbr_control::DONE, false);
        }
    }

    /// STACK_RESET: everything of one ComID starts anew.
    pub(super) fn reset_stack(&mut self, com_id: ComId) {
        self.finish_work(com_id);
        self.power
            .sessions
            .retain(|session| session.com_id != com_id.0);
        let index = self.stack_index(com_id);
        if let Some(stack) = index.and_then(|index| self.power.stacks.get_mut(index)) {
            *stack = Stack::default();
        }
    }
}

fn block_after(block: Block, reset: Reset) -> Block {
    match reset {
        Reset::PowerCycle => Block::default(),
        Reset::Hardware if block.hardware_reset_clears => Block::default(),
        Reset::Hardware | Reset::Programmatic => block,
    }
}
