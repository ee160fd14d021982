//! Reads observed turns and stores what they state: records derived from them, each linked to the sentence that states
//! it. The judge, and a language model if there is one, read outside of the transaction, which then takes a turn only if it
//! is still unread and unchanged.

mod ask_model;
mod draft;
mod reading;
mod replaced;
mod work;

use std::sync::Arc;

use super::App;
use super::store_conversation::Stored;
use crate::boxed;
use crate::error::{Error, Result};
use crate::extraction::ReadTurn;
use crate::ids::{MemoryId, UserId};
use crate::ports::Job;
use reading::{Reading, read_next};
use work::Work;

/// Turns read at a time; fewer where a model takes seconds for each, so that results are stored soon.
const AT_ONCE: usize = 32;
const AT_ONCE_BY_MODEL: usize = 4;

impl App {
    /// Reads the turns that are due, or only the given ones; returns what each yielded. Stops early where a tier has no
    /// room for more: the rest is read with the next observed turns.
    #[boxed]
    pub async fn extract_turns(&self, user: &UserId, only: &[MemoryId]) -> Result<Vec<ReadTurn>> {
        let mut read = Vec::new();
        let only: Arc<[MemoryId]> = only.into();
        let most = if self.language_model.is_some() { AT_ONCE_BY_MODEL } else { AT_ONCE };
        loop {
            let (now, only) = (self.clock.now(), Arc::clone(&only));
            let next = self.vaults.read(user, move |vault| {
                let only = Arc::clone(&only);
                Box::pin(async move { read_next(vault, &only, now, most).await })
            });
            let mut readings: Vec<Reading> = Vec::new();
            for unread in next.await? {
                readings.push(self.read_turn(user, unread).await);
            }
            let before = read.len();
            for group in groups(readings) {
                match self.take(user, group).await {
                    Ok(taken) => read.extend(taken),
                    Err(Error::QuotaExceeded { .. } | Error::ArchiveFull { .. }) => return Ok(read),
                    Err(error) => return Err(error),
                }
            }
            // The remaining turns were changed meanwhile, or another process reads them.
            if read.len() == before {
                return Ok(read);
            }
        }
    }

    /// Enqueues a job that reads what is due.
    #[boxed]
    pub async fn extract_soon(&self, user: &UserId) -> Result<()> {
        self.enqueue(user, "extract_soon", Job::Extract { after_s: 0 }).await
    }

    async fn take(&self, user: &UserId, readings: Vec<Reading>) -> Result<Vec<ReadTurn>> {
        let work = Arc::new(Work {
            readings,
            prints: self.fingerprints(user),
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
        });
        let running = self.vaults.transact(user, "extract_turns", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (read, stored): (Vec<ReadTurn>, Stored) = self.relieved(user, None, running.await).await?;
        self.note_stored(&stored);
        Ok(read)
    }
}

/// Groups turns, in the order of the conversation, into one transaction each: a group ends with the first turn that yields something.
fn groups(readings: Vec<Reading>) -> Vec<Vec<Reading>> {
    let mut groups: Vec<Vec<Reading>> = Vec::new();
    let mut is_open = false;
    for reading in readings {
        let yields = !reading.found.candidates.is_empty();
        match groups.last_mut().filter(|_| is_open) {
            Some(group) => group.push(reading),
            None => groups.push(vec![reading]),
        }
        is_open = !yields;
    }
    groups
}
