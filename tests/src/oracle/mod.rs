//! Writers under faults that know the expected result: every acknowledged write exists once, and nothing else;
//! files have the acknowledged versions; counters equal a recount, the audit has no gaps, and every job ended.

mod audit;
mod named;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kimberly_proto::v1 as pb;
use tokio::task::JoinHandle;

use crate::eventually::within;
use crate::{System, User};

pub use audit::{Found, assert_books_and_vaults_agree};
pub use named::{Named, assert_files_are_as_acknowledged};
pub use writer::{Book, PATIENCE, Writer, until_acknowledged};

/// Writers that run until stopped.
pub struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicU64>,
    writers: Vec<JoinHandle<Book>>,
}

impl Load {
    /// Starts two writers per user, so that faults also hit writes that share a commit.
    pub fn start(system: &System, users: usize, seed: u64) -> Self {
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let writers = (0..2 * users).map(|n| {
            let writer = Writer::new(system.user(&user(n / 2)), n, seed, Arc::clone(&acknowledged));
            tokio::spawn(writer.write_until(Arc::clone(&stop)))
        });
        Self { writers: writers.collect(), stop, acknowledged }
    }

    /// Waits for this many further acknowledged writes, which proves that the faults are overcome.
    pub async fn goes_on(&self, writes: u64) {
        let wanted = self.acknowledged.load(Ordering::SeqCst) + writes;
        let reached = || async {
            self.assert_no_writer_gave_up();
            (self.acknowledged.load(Ordering::SeqCst) >= wanted).then_some(())
        };
        within(2 * PATIENCE, &format!("{writes} more writes are acknowledged"), reached).await;
    }

    /// Fails if a writer ended early.
    #[track_caller]
    pub fn assert_no_writer_gave_up(&self) {
        assert!(self.writers.iter().all(|writer| !writer.is_finished()), "a writer gave up");
    }

    /// Stops the writers; returns their books.
    pub async fn stop(self) -> Vec<Book> {
        self.stop.store(true, Ordering::SeqCst);
        let mut books = Vec::new();
        for writer in self.writers {
            books.push(writer.await.expect("a writer ends well"));
        }
        books
    }
}

/// Requests a run that scores all memories of a user, which takes a while.
pub async fn ask_for_a_run(user: &User) {
    let request = pb::MeditateRequest { user_id: user.id(), full: true, ..pb::MeditateRequest::default() };
    until_acknowledged(|| {
        let (mut meditations, request) = (user.clients.meditations.clone(), request.clone());
        async move { meditations.meditate(request).await }
    })
    .await;
}

/// The id of the user with this number, who has two writers.
pub fn user(number: usize) -> String {
    format!("user {number}")
}
