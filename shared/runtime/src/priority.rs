//! CPU priority of background work.

/// Niceness of background work: each step is about a fifth less CPU share, so ten steps leave about a tenth beside a
/// foreground thread.
const NICENESS: i32 = 10;

/// Lowers the priority of this process. Call it before any thread starts: on Linux, priorities are per thread and
/// inherited from the creating thread.
pub(crate) fn go_last() {
    // Always permitted; on failure the priority just stays normal.
    let _ = rustix::process::nice(NICENESS);
}

/// Lowers the priority of the calling thread and the threads that it starts; no effect on systems without per-thread
/// priorities.
pub fn this_thread_goes_last() {
    if cfg!(target_os = "linux") {
        go_last();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_thread_that_asks_goes_last() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        let after = std::thread::spawn(move || {
            this_thread_goes_last();
            niceness()
        });
        assert_eq!(after.join().unwrap(), (before + NICENESS).min(19));
        assert_eq!(niceness(), before);
    }
}
