//! Who gets the processor when there is not enough for all.

/// How much smaller a share of it those take that nobody waits for: each step of niceness is about a fifth less. Ten
/// leave them about a tenth beside a thread that somebody waits for.
const NICENESS: i32 = 10;

/// Lowers the priority of this process: to be called before it starts any thread, because on Linux each thread has its
/// own and takes that of the thread which starts it.
pub(crate) fn go_last() {
    // Always allowed; should it fail, the process is only as important as others.
    let _ = rustix::process::nice(NICENESS);
}

/// Lowers the priority of the thread that calls this, and of those that it starts; where threads have no priorities of
/// their own, nothing.
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
