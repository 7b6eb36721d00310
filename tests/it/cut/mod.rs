//! The program broken off after every single interface command, by a kill and by a power cut of the
//! drive, and run again: it completes, and at no point is there no way in.
//!
//! The drive itself knows the point (`sedkit vdrive fault`): there it loses its power, or hangs until
//! the program is killed.

mod erase;
mod mbr;
mod ranges;
mod sessions;
mod setup;
mod single_user;
mod sparse;
pub(crate) mod stage;

use stage::{Break, Outcome, Stage};

/// More interface commands than any command here takes.
const ENOUGH: u64 = 400;

/// A command that may be broken off anywhere.
struct Task<'t> {
    /// Its arguments; `DEV` is the drive.
    arguments: &'t [&'t str],
    /// What must hold wherever it was broken off, before it is run again. It gets a copy of the
    /// drive, and may use up attempts there.
    meanwhile: &'t dyn Fn(&Stage),
    /// What must hold when it has been run again.
    afterwards: &'t dyn Fn(&Stage),
}

impl Task<'_> {
    /// Breaks the command off after every number of interface commands, each time on a drive as
    /// `prepared`, and runs it again. It takes `at_least` so many, or the test tests too little.
    fn break_everywhere(&self, prepared: &Stage, at_least: u64) {
        for how in [Break::Kill, Break::PowerCut] {
            let after = (1..ENOUGH).find(|&after| !self.is_broken_off(prepared, how, after));
            let taken = after.expect("the command ends") - 1;
            assert!(taken >= at_least, "only {taken} interface commands");
        }
    }

    fn is_broken_off(&self, prepared: &Stage, how: Break, after: u64) -> bool {
        let stage = prepared.copy();
        let outcome = stage.break_off(how, after, self.arguments);
        println!("{how:?} after {after} interface commands: {outcome:?}");
        if outcome == Outcome::ClaimsSuccess {
            (self.afterwards)(&stage.copy());
        }
        if outcome != Outcome::Ended {
            (self.meanwhile)(&stage.copy());
            stage.run(self.arguments);
        }
        (self.afterwards)(&stage);
        outcome != Outcome::Ended
    }
}
