//! Finds missing and surplus vectors, without computing any.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::page::load;
use super::look::{Seen, Sync};
use crate::embedding::{
    Difference, EligibleSubject, ModelKey, OverCap, Room, StoredItem, VectorSubject, by_worth, difference,
};
use crate::error::Result;
use crate::ports::IndexChange;

/// Subjects whose texts are read at a time.
const PIECE: usize = 64;

/// The size of a subject's texts, without the texts.
#[derive(Clone, Copy, Debug)]
struct Size {
    fingerprint: u64,
    vectors: u64,
    revision: u64,
}

/// The work of a sync.
pub(super) struct Measured {
    /// Removals and new revisions for each index that is active or being built; all other indexes are of no use.
    pub(super) changes: Vec<(ModelKey, IndexChange)>,
    /// Subjects to compute, in order, with the number of their vectors.
    pub(super) todo: Vec<(VectorSubject, u64)>,
    /// Vectors needed in all, which may be more than the cap allows.
    pub(super) needed: u64,
}

impl Measured {
    /// Number of vectors to compute.
    pub(super) fn missing(&self) -> u64 {
        self.todo.iter().map(|(_, vectors)| vectors).sum()
    }
}

impl Sync<'_> {
    /// Compares every index of the user with the vault.
    pub(super) async fn measure(&self, seen: &Seen) -> Result<Measured> {
        let (vectors, model) = (self.vectors(), self.model());
        let answering = vectors.active(self.user)?.map(|active| active.model);
        let other = answering.filter(|answering| answering != model);
        let (held, limits) = (self.updater.held(self.user, model)?, &seen.limits);
        let mut sizes = HashMap::new();
        let mut own = difference(&held, &seen.subjects);
        let needed = self.needed(&own, limits.vector_cap, &mut sizes).await?;
        let best = if needed > limits.vector_cap && limits.over_cap == OverCap::Best {
            Some(self.best(seen, &held, &mut sizes).await?)
        } else {
            None
        };
        if let Some(best) = &best {
            own = difference(&held, best);
        }
        let mut changes = vec![(model.clone(), change(&own, &sizes))];
        if let Some(other) = other {
            let wanted = best.as_deref().unwrap_or(&seen.subjects);
            let theirs = difference(&self.updater.held(self.user, &other)?, wanted);
            self.size(theirs.moved.iter().map(|item| item.subject), &mut sizes).await?;
            changes.push((other, change(&theirs, &sizes)));
        }
        let todo = todo(&own, &sizes);
        Ok(Measured { changes, todo, needed })
    }

    /// Counts the vectors needed in all. If there are more than the cap, the count is a lower bound.
    async fn needed(&self, own: &Difference, cap: u64, sizes: &mut HashMap<VectorSubject, Size>) -> Result<u64> {
        let over = own.at_least() > cap;
        self.size(own.moved.iter().map(|item| item.subject), sizes).await?;
        if !over {
            self.size(own.new.iter().copied(), sizes).await?;
        }
        let unchanged = change(own, sizes).unchanged;
        let unchanged: u64 = unchanged.iter().map(|(subject, _)| chunks_of(&own.moved, *subject)).sum();
        let counted =
            own.settled_vectors + unchanged + todo(own, sizes).iter().map(|(_, vectors)| vectors).sum::<u64>();
        Ok(if over { counted.max(own.at_least()) } else { counted })
    }

    /// Chooses the subjects that have vectors where the cap does not allow all, in the order of subjects. Reads the
    /// sizes of those whose index entry is missing or outdated.
    async fn best(
        &self,
        seen: &Seen,
        held: &[StoredItem],
        sizes: &mut HashMap<VectorSubject, Size>,
    ) -> Result<Vec<EligibleSubject>> {
        let there: HashMap<VectorSubject, StoredItem> = held.iter().map(|item| (item.subject, *item)).collect();
        let settled = |one: &EligibleSubject| {
            there.get(&one.subject).filter(|item| item.revision == one.revision).map(|item| u64::from(item.chunks))
        };
        let (mut room, mut best) = (Room::new(seen.limits.vector_cap), Vec::new());
        for piece in by_worth(&seen.subjects).chunks(PIECE) {
            let unknown: Vec<_> = piece.iter().filter(|one| settled(one).is_none()).map(|one| one.subject).collect();
            self.size(unknown.into_iter(), sizes).await?;
            for one in piece {
                let vectors = settled(one).or_else(|| sizes.get(&one.subject).map(|size| size.vectors));
                if vectors.is_some_and(|vectors| room.take(vectors)) {
                    best.push(*one);
                }
            }
            if room.is_over() {
                break;
            }
        }
        best.sort_by_key(|one| one.subject);
        Ok(best)
    }

    /// Reads the sizes of subjects' texts.
    async fn size(
        &self,
        subjects: impl Iterator<Item = VectorSubject>,
        sizes: &mut HashMap<VectorSubject, Size>,
    ) -> Result<()> {
        let unknown: Vec<VectorSubject> = subjects.filter(|subject| !sizes.contains_key(subject)).collect();
        for piece in unknown.chunks(PIECE) {
            let piece: Arc<[VectorSubject]> = piece.into();
            let read = self.app.vaults.read(self.user, move |reader| {
                let piece = Arc::clone(&piece);
                Box::pin(async move { load(reader, &piece).await })
            });
            for one in read.await? {
                let size = Size { fingerprint: one.fingerprint, vectors: one.vectors(), revision: one.revision };
                sizes.insert(one.subject, size);
            }
        }
        Ok(())
    }
}

/// Returns what leaves an index: subjects gone from the vault, and vectors of texts that have changed.
fn change(difference: &Difference, sizes: &HashMap<VectorSubject, Size>) -> IndexChange {
    let mut change = IndexChange { gone: difference.gone.clone(), ..IndexChange::default() };
    for item in &difference.moved {
        match sizes.get(&item.subject) {
            Some(size) if size.fingerprint == item.fingerprint => {
                change.unchanged.push((item.subject, size.revision));
            }
            _ => change.gone.push(item.subject),
        }
    }
    change
}

/// Returns the subjects to compute: goals first, then the newest, as they are asked for most.
fn todo(own: &Difference, sizes: &HashMap<VectorSubject, Size>) -> Vec<(VectorSubject, u64)> {
    let changed = own
        .moved
        .iter()
        .filter(|item| sizes.get(&item.subject).is_some_and(|size| size.fingerprint != item.fingerprint));
    let subjects = changed.map(|item| item.subject).chain(own.new.iter().copied());
    let mut todo: Vec<_> = subjects.filter_map(|subject| Some((subject, sizes.get(&subject)?.vectors))).collect();
    todo.sort_unstable_by_key(|(subject, _)| std::cmp::Reverse(*subject));
    todo
}

fn chunks_of(moved: &[StoredItem], subject: VectorSubject) -> u64 {
    moved.iter().find(|item| item.subject == subject).map_or(0, |item| u64::from(item.chunks))
}
