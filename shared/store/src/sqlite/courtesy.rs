//! The threads of reading connections let others go first.
//!
//! A recall computes on its connection's thread. While every processor is at one, a call that can be answered in
//! microseconds, such as a refusal under overload, would wait for several time slices; so these threads ask for a smaller
//! share than those that talk to callers. Writing connections do not: others wait for their locks.

/// How much smaller: each step of niceness is about a fifth less processor, where there is not enough of it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Whether a connection's thread has asked for its smaller share yet.
#[derive(Debug, Default)]
pub(super) struct Courtesy {
    shown: bool,
}

impl Courtesy {
    /// Lowers the priority of the thread that calls this; once, and only where threads have priorities of their own.
    pub(super) fn show(&mut self) {
        if !self.shown {
            self.shown = true;
            lower();
        }
    }
}

#[cfg(target_os = "linux")]
fn lower() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux these take the id of a thread. Raising niceness is always allowed; should it fail, nothing is lost.
    let thread = Some(rustix::thread::gettid());
    if let Ok(own) = getpriority_process(thread) {
        let _ = setpriority_process(thread, own.saturating_add(NICENESS).min(19));
    }
}

#[cfg(not(target_os = "linux"))]
fn lower() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_shows_it_goes_behind_and_only_once() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        let after = std::thread::spawn(move || {
            let mut courtesy = Courtesy::default();
            courtesy.show();
            courtesy.show();
            niceness()
        });
        assert_eq!(after.join().unwrap(), (before + NICENESS).min(19));
        assert_eq!(niceness(), before);
    }
}
