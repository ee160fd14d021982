//! Computes vectors piece by piece: counts them, embeds the texts, writes the index.

use std::sync::Arc;

use super::super::page::{Loaded, load};
use super::look::{Seen, Sync};
use crate::embedding::{EmbeddedItem, EmbeddingLimits, VectorSubject, Verdict};
use crate::error::{Error, Result, StorageFailure};
use crate::ports::{IndexChange, NoVectors};
use crate::time::Timestamp;

/// Vectors per piece, unless one subject alone has more.
pub(super) const PIECE: u64 = 64;
/// Pieces between two checks for new writes: some seconds of work. What must leave the index must not wait for the rest of a long sync.
const PIECES_AT_A_STRETCH: usize = 8;
/// Stands for an unlimited budget.
const NO_BUDGET: u64 = i64::MAX as u64;

/// Counts of what was computed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Computed {
    /// Vectors that are in the index now, or are no longer needed.
    pub(super) vectors: u64,
    /// Subjects that the model could not read.
    pub(super) failed: u64,
    /// Vectors that those subjects need.
    pub(super) failed_vectors: u64,
}

impl Sync<'_> {
    /// Computes as much of `todo` as the verdict admits, in order; less if another sync should come first.
    pub(super) async fn compute(
        &self,
        todo: &[(VectorSubject, u64)],
        verdict: &Verdict,
        seen: &Seen,
    ) -> Result<Computed> {
        let mut admitted = Vec::new();
        let mut taken = 0;
        for (subject, vectors) in todo {
            if !verdict.admits(taken, *vectors) {
                break;
            }
            taken += vectors;
            admitted.push((*subject, *vectors));
        }
        if self.tries % 2 == 1 {
            admitted.reverse();
        }
        let mut done = Computed::default();
        for (n, piece) in pieces(&admitted, if self.tries == 0 { PIECE } else { 1 }).into_iter().enumerate() {
            if n > 0 && n % PIECES_AT_A_STRETCH == 0 && self.is_asked_again().await? {
                break;
            }
            // A long sync must not run on after the window has closed.
            if n > 0 && !may_compute(seen, self.app.clock.now()) {
                break;
            }
            let given = self.count(piece, &seen.limits).await?;
            if !given.is_empty() {
                self.piece(given, &mut done).await?;
            }
            if given.len() < piece.len() {
                break;
            }
        }
        Ok(done)
    }

    async fn is_asked_again(&self) -> Result<bool> {
        let day = self.app.clock.now().day();
        let waiting = self
            .app
            .vaults
            .read(self.user, move |reader| Box::pin(async move { Ok(reader.embedding_ledger(day).await?.waiting) }));
        waiting.await
    }

    /// Counts vectors before they are computed, so that a process that keeps crashing on them spends the budget and no more.
    /// Returns the beginning of the piece that the system's budget covers; others may have spent some of it meanwhile.
    async fn count<'p>(
        &self,
        piece: &'p [(VectorSubject, u64)],
        limits: &EmbeddingLimits,
    ) -> Result<&'p [(VectorSubject, u64)]> {
        let (day, wanted) = (self.app.clock.now().day(), sum(piece));
        let budget = if limits.system_daily == 0 { NO_BUDGET } else { limits.system_daily };
        let given = self.updater.registry.take_embedding_budget(day, wanted, budget).await?;
        // A subject larger than a whole day's budget is computed when it comes first.
        let first = given > 0 && given == limits.system_daily;
        let covered = if given >= wanted || first && piece.len() == 1 { piece } else { beginning(piece, given) };
        let vectors = sum(covered);
        if vectors > 0 {
            let add = self.app.vaults.transact(self.user, "embedding.count", move |tx| {
                Box::pin(async move { tx.add_embedded(day, vectors).await })
            });
            add.await?;
        }
        Ok(covered)
    }

    async fn piece(&self, piece: &[(VectorSubject, u64)], done: &mut Computed) -> Result<()> {
        let subjects: Arc<[VectorSubject]> = piece.iter().map(|(subject, _)| *subject).collect();
        let read = self.app.vaults.read(self.user, move |reader| {
            let subjects = Arc::clone(&subjects);
            Box::pin(async move { load(reader, &subjects).await })
        });
        let loaded = read.await?;
        let wanted = sum(piece);
        let mut change = IndexChange::default();
        let mut failed = Vec::new();
        match self.embed(&loaded).await? {
            Some(items) => change.put = items,
            None => {
                // One subject is to blame: embed each alone.
                for one in &loaded {
                    match self.embed(std::slice::from_ref(one)).await? {
                        Some(items) => change.put.extend(items),
                        None => failed.push(one),
                    }
                }
            }
        }
        if !change.put.is_empty() {
            self.vectors().write(self.user, self.model(), &change)?;
        }
        let failed_vectors: u64 = failed.iter().map(|one| one.vectors()).sum();
        done.failed += failed.len() as u64;
        done.failed_vectors += failed_vectors;
        done.vectors += wanted.saturating_sub(failed_vectors);
        Ok(())
    }

    /// Returns the vectors of subjects, or `None` if the model gives none.
    async fn embed(&self, loaded: &[Loaded]) -> Result<Option<Vec<EmbeddedItem>>> {
        let texts: Vec<String> = loaded.iter().flat_map(|one| one.texts.iter().cloned()).collect();
        if texts.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let (count, started) = (texts.len(), self.app.clock.now());
        let answer = self.updater.model.embed_documents(texts).await;
        #[expect(clippy::cast_precision_loss, reason = "microseconds of one call are far below 2^53")]
        let seconds = self.app.clock.now().since(started).0 as f64 / 1e6;
        self.app.observer.embedded(count as u64, seconds, answer.is_ok());
        let vectors = match answer {
            Ok(vectors) if vectors.len() == count => vectors,
            Err(NoVectors::Stopping) => {
                return Err(Error::storage(StorageFailure::Unavailable, "the embedder is stopping"));
            }
            Ok(_) | Err(NoVectors::Failed(_)) => return Ok(None),
        };
        let mut vectors = vectors.into_iter();
        let item = |one: &Loaded| EmbeddedItem {
            subject: one.subject,
            revision: one.revision,
            fingerprint: one.fingerprint,
            vectors: vectors.by_ref().take(one.texts.len()).collect(),
        };
        Ok(Some(loaded.iter().map(item).collect()))
    }
}

/// Reports whether the window is open, or the user asked not to wait for it.
fn may_compute(seen: &Seen, now: Timestamp) -> bool {
    seen.ledger.asked_at.is_some() || seen.limits.window.is_open(now)
}

fn sum(piece: &[(VectorSubject, u64)]) -> u64 {
    piece.iter().map(|(_, vectors)| vectors).sum()
}

/// Returns the first subjects that need at most `most` vectors in all.
fn beginning(piece: &[(VectorSubject, u64)], most: u64) -> &[(VectorSubject, u64)] {
    let mut vectors = 0;
    let fit = piece.iter().take_while(|(_, of)| {
        vectors += of;
        vectors <= most
    });
    &piece[..fit.count()]
}

/// Cuts work into pieces of about `most` vectors.
fn pieces(todo: &[(VectorSubject, u64)], most: u64) -> Vec<&[(VectorSubject, u64)]> {
    let (mut pieces, mut rest) = (Vec::new(), todo);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(beginning(rest, most).len().max(1));
        pieces.push(piece);
        rest = after;
    }
    pieces
}
