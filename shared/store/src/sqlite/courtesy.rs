//! Lowers the priority of the threads of reading connections.
//!
//! A recall computes on its connection's thread. When all processors are busy with recalls, a call that needs
//! microseconds, such as a refusal under overload, would wait for several time slices. Reader threads therefore take a
//! smaller share than the threads that serve callers. Writing connections keep their priority, because others wait for
//! their locks.

/// Added niceness; each step is about a fifth less processor time under contention.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Whether this connection's thread has lowered its priority already.
#[derive(Debug, Default)]
pub(super) struct Courtesy {
    shown: bool,
}

impl Courtesy {
    /// Lowers the priority of the calling thread, once, and only on systems with priorities per thread.
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
    // On Linux these calls accept thread ids. Raising niceness is always allowed; a failure does no harm.
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
