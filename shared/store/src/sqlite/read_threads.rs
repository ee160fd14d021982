//! The threads that read vaults.
//!
//! A read runs on one thread with all of its statements. If its deadline passes or its caller is gone, its statement is
//! cancelled within a millisecond.
//!
//! These threads have a lower priority. When all processors are busy with recalls, a call that needs microseconds, such
//! as a refusal under overload, would wait for several time slices. Writes keep their priority, because others wait for
//! their locks.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use kimberly_core::error::{Error, Result, StorageFailure};
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::{Instrument as _, Span};

/// Reads that may run or wait for a connection at the same time; further ones wait for a thread.
const THREADS: usize = 512;
/// Added niceness; each step is about a fifth less processor time under contention.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Runs a read, which gets a flag that is set when it should end because its caller is gone.
pub(crate) async fn run<T, F>(read: impl FnOnce(Arc<AtomicBool>) -> F + Send + 'static) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = Result<T>>,
{
    let caller = Caller::default();
    let (gone, runtime, span) = (Arc::clone(&caller.gone), Handle::current(), Span::current());
    let threads = threads()
        .as_ref()
        .map_err(|error| Error::storage(StorageFailure::Unavailable, format!("starting threads that read: {error}")))?;
    let done = threads.spawn_blocking(move || runtime.block_on(read(gone).instrument(span))).await;
    drop(caller);
    done.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Err(Error::storage(StorageFailure::Unavailable, "a read was cut off: shutting down")),
    })
}

/// Sets the flag when the caller stops waiting.
#[derive(Default)]
struct Caller {
    gone: Arc<AtomicBool>,
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

/// A runtime that only has threads for blocking work, apart from those of the caller's runtime, whose priority stays.
fn threads() -> &'static io::Result<Runtime> {
    static THREADS_OF_READS: OnceLock<io::Result<Runtime>> = OnceLock::new();
    THREADS_OF_READS.get_or_init(|| {
        let mut builder = Builder::new_current_thread();
        builder.max_blocking_threads(THREADS).thread_name("read").on_thread_start(lower_priority).build()
    })
}

#[cfg(target_os = "linux")]
fn lower_priority() {
    use rustix::process::{getpriority_process, setpriority_process};
    // On Linux these calls accept thread ids. Raising niceness is always allowed; a failure does no harm.
    let thread = Some(rustix::thread::gettid());
    if let Ok(own) = getpriority_process(thread) {
        let _ = setpriority_process(thread, own.saturating_add(NICENESS).min(19));
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_threads_of_reads_have_a_lower_priority() {
        let niceness = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = niceness();
        let read = run(async move |_| Ok(niceness())).await.unwrap();
        assert_eq!(read, (before + NICENESS).min(19));
        assert_eq!(niceness(), before);
    }
}
