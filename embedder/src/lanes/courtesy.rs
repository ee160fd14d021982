//! Threads of the bulk lane go last: they take what processor time nobody else wants.

/// How much smaller their share is: each step of niceness is about a fifth less where there is not enough for all. Ten
/// leave them about a tenth beside a thread that somebody waits for, and less than the threads that recall computes on.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lowers the priority of the thread that calls this, where threads have priorities of their own.
#[cfg(target_os = "linux")]
pub(super) fn go_last() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux these take the id of a thread. Raising niceness is always allowed; should it fail, nothing is lost.
    let thread = Some(rustix::thread::gettid());
    if let Ok(own) = getpriority_process(thread) {
        let _ = setpriority_process(thread, own.saturating_add(NICENESS).min(19));
    }
}

/// Threads have no priorities of their own here.
#[cfg(not(target_os = "linux"))]
pub(super) fn go_last() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_asks_goes_last() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        let after = std::thread::spawn(move || {
            go_last();
            niceness()
        });
        assert_eq!(after.join().unwrap(), (before + NICENESS).min(19));
        assert_eq!(niceness(), before);
    }
}
