//! Notes what records state that were written before statements were noted, or by another way: once per vault and
//! process, before the first write. Only derived data is written, so it runs beyond the caller's reach.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::App;
use super::identity::{Identity, kinds};
use super::known::note;
use crate::boxed;
use crate::context::Fingerprints;
use crate::error::Result;
use crate::extraction::StatementRow;
use crate::ids::{Seq, UserId};
use crate::memory::{MemoryFilter, MemoryState};
use crate::tables::{RowQuery, TableRow as _};

/// Records per transaction.
const AT_ONCE: usize = 500;
/// Most records noted before one write; further writes note the rest.
const MOST: usize = 40_000;
/// Most users remembered.
const MOST_USERS: usize = 100_000;

/// The users whose records are all noted.
#[derive(Clone, Default)]
pub(in crate::usecases) struct NotedUsers(Arc<Mutex<HashSet<UserId>>>);

impl NotedUsers {
    fn has(&self, user: &UserId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(user)
    }

    fn add(&self, user: &UserId) {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= MOST_USERS {
            users.clear();
        }
        users.insert(user.clone());
    }
}

impl App {
    /// Notes the statements of older records, unless all are noted.
    #[boxed]
    pub(in crate::usecases) async fn note_older(&self, user: &UserId) -> Result<()> {
        if self.noted.has(user) {
            return Ok(());
        }
        let unnoted = self.upkeep.read(user, |reader| {
            let memories = MemoryFilter {
                states: MemoryState::ALL.to_vec(),
                kinds: kinds(),
                any_time: true,
                ..MemoryFilter::default()
            };
            let query = RowQuery { memories, ..StatementRow::query() };
            Box::pin(async move { reader.seqs_without_row(&query).await })
        });
        let unnoted = unnoted.await?;
        for some in unnoted.get(..MOST).unwrap_or(&unnoted).chunks(AT_ONCE) {
            let (seqs, prints): (Arc<[Seq]>, _) = (some.into(), self.fingerprints(user));
            let noting = self.upkeep.transact_existing(user, "note_statements", move |tx| {
                let (seqs, prints) = (Arc::clone(&seqs), prints.clone());
                Box::pin(async move {
                    let memories = tx.memories(&seqs).await?;
                    let of = |prints: &Fingerprints, draft| Identity::of(draft).map(|it| it.digest(prints));
                    let digests = memories.iter().filter_map(|one| Some((of(&prints, &one.draft)?, one.id)));
                    note(tx, &digests.collect::<Vec<_>>()).await
                })
            });
            noting.await?;
        }
        if unnoted.len() <= MOST {
            self.noted.add(user);
        }
        Ok(())
    }
}
