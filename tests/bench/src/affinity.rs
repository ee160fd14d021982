//! Pins the server and the load generator to different processors, with `taskset` of util-linux.

use std::process::{Command, Stdio};

use crate::Result;
use crate::report::say;

/// The division of this machine's processors; with one processor, or without `taskset`, nothing is pinned.
pub(crate) struct Apart {
    processors: usize,
}

impl Apart {
    /// Detects the processors of this machine.
    pub(crate) fn of_this_machine() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let there = Command::new("taskset").arg("--version").stdout(Stdio::null()).status();
        if processors > 1 && there.is_ok_and(|status| status.success()) {
            return Self { processors };
        }
        say("server and generator share all processors: there is only one, or no taskset");
        Self { processors: 1 }
    }

    /// The processors for the server, if they are pinned.
    pub(crate) fn server(&self) -> Option<&'static str> {
        (self.processors > 1).then_some("0")
    }

    /// Pins this program, with all its threads, to the processors that the server does not use, until dropped.
    pub(crate) fn pin_to_the_others(&self) -> Result<Pinned> {
        let pinned = Pinned { processors: self.processors };
        if self.processors > 1 {
            allow(&format!("1-{}", self.processors - 1))?;
        }
        Ok(pinned)
    }
}

/// Releases all processors when dropped.
pub(crate) struct Pinned {
    processors: usize,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // On failure later figures would be visibly worse; the next program is unaffected.
        let _ = allow(&format!("0-{}", self.processors - 1));
    }
}

fn allow(processors: &str) -> Result<()> {
    let own = std::process::id().to_string();
    let status = Command::new("taskset").args(["-a", "-c", "-p", processors, &own]).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("taskset did not keep this program to {processors}").into()) }
}
