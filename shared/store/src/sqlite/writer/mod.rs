//! The single task that writes a vault. Waiting transactions share a commit, and each succeeds or fails alone.

mod checkpoint;
mod commit;
mod group;
mod task;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::TransactWork;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::shared::Shared;
use super::vault::Vault;
use super::vaults::Lease;

/// Queue length; further callers wait to enqueue.
const WAITING: usize = 1_024;

/// A request to the writer.
pub(crate) enum Order {
    /// A transaction.
    Transact {
        /// Name for logs.
        name: &'static str,
        /// The work to run.
        work: TransactWork,
    },
    /// Removes the registry's entry for this vault if its outbox is empty.
    ClearPendingOutbox,
    /// Tries once to empty the log of erased data, and reports whether it is gone.
    EmptyLog(Arc<AtomicBool>),
}

/// An order with its caller and the lease that keeps the vault open. A transaction whose caller is gone is not started;
/// a started one is completed.
pub(crate) struct Request {
    order: Order,
    reply: oneshot::Sender<Result<()>>,
    lease: Lease,
}

/// A vault's writer; its task starts with the first write.
#[derive(Default)]
pub(crate) struct Writer {
    running: Mutex<Option<Running>>,
}

struct Running {
    requests: mpsc::Sender<Request>,
    task: JoinHandle<()>,
}

impl Writer {
    /// Sends an order and waits; its effect is durable when this returns `Ok`.
    pub(crate) async fn carry_out(lease: Lease, shared: &Arc<Shared>, order: Order) -> Result<()> {
        let requests = lease.vault().writer().requests(lease.vault(), shared);
        let (reply, answer) = oneshot::channel();
        let gone = || Error::storage(StorageFailure::Unavailable, "the vault's writer is gone; nothing was written");
        requests.send(Request { order, reply, lease }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    fn requests(&self, vault: &Vault, shared: &Arc<Shared>) -> mpsc::Sender<Request> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running.as_ref().filter(|running| !running.task.is_finished()) {
            return running.requests.clone();
        }
        let (requests, incoming) = mpsc::channel(WAITING);
        let task = task::Task::new(vault, Arc::clone(shared));
        *running = Some(Running { requests: requests.clone(), task: tokio::spawn(task.run(incoming)) });
        requests
    }

    /// Completes waiting orders, then closes the writing connection.
    pub(crate) async fn close(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running { requests, task }) = running else { return };
        drop(requests);
        if task.await.is_err() {
            tracing::error!("a vault's writer ended unexpectedly");
        }
    }
}
