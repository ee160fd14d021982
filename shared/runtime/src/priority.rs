//! Who gets the processor when there is not enough for all.

/// How much smaller a share processes take that nobody waits for: each step of niceness is about a fifth less.
const NICENESS: i32 = 10;

/// Lowers the priority of this process: to be called before it starts any thread, because on Linux each thread has its
/// own and takes that of the thread which starts it.
pub(crate) fn go_last() {
    // Always allowed; should it fail, the process is only as important as others.
    let _ = rustix::process::nice(NICENESS);
}
