//! Fingerprints of what each step had read when it last left no work over, and their table. While a step's fingerprint
//! stays the same, it has nothing to propose, and does not run again. Derived data.

use sha2::{Digest as _, Sha256};

use super::kinds::Stated;
use super::{RetentionItem, Snapshot};
use crate::entities::Ruling;
use crate::error::Result;
use crate::memory::{MemoryState, holds};
use crate::ports::{IndexState, VaultReader, VaultTransaction};
use crate::reviews::Decision;
use crate::tables::{Cells, Column, Row, Table, TableRow, delete, find};
use crate::time::{Span, Timestamp};

/// How long a fingerprint is valid, because steps also react to time: relations seen once end after a week.
const COUNTS_FOR: Span = Span::days(7);

/// The fingerprint of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The step's name.
    pub step: String,
    /// The first eight bytes of the SHA-256 of the evidence that the step proposes from.
    pub evidence: i64,
    /// The same hash over the records that runs concluded, as this run left them. Kept apart so that the step's own
    /// conclusions do not change `evidence`.
    pub made: i64,
}

impl TableRow for Fingerprint {
    const TABLE: &'static Table = &Table {
        name: "fingerprints",
        keys: 1,
        columns: &[Column::text("step"), Column::int("evidence"), Column::int("made")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![self.step.as_str().into(), self.evidence.into(), self.made.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { step: c.text()?, evidence: c.int()?, made: c.int()? })
    }
}

impl Fingerprint {
    /// Hashes what a step reads: the version of its rules, the records, the decisions of people, and the state of the
    /// vectors.
    pub(super) fn of((step, rules): (&str, i64), picture: &Snapshot, vectors: Option<&IndexState>) -> Self {
        let mut hash = Sha256::new();
        add(&mut hash, [rules, picture.as_of.0.div_euclid(COUNTS_FOR.0)]);
        add(&mut hash, picture.decided.iter().map(|at| at.0));
        hash.update(format!("{:?}", vectors.map(|state| (&state.model, state.items, state.vectors))));
        add_items(&mut hash, picture.items.iter().filter(|item| !item.is_concluded()), picture.as_of);
        Self { step: step.to_owned(), evidence: first(hash), made: made(&picture.items, picture.as_of) }
    }
}

/// Hashes the records that runs concluded, in their present state.
pub(super) fn made(items: &[RetentionItem], as_of: Timestamp) -> i64 {
    let mut hash = Sha256::new();
    add_items(&mut hash, items.iter().filter(|item| item.is_concluded()), as_of);
    first(hash)
}

fn add(hash: &mut Sha256, numbers: impl IntoIterator<Item = i64>) {
    for number in numbers {
        hash.update(number.to_le_bytes());
    }
}

/// Deleted records are not read, so the time of their deletion does not matter.
fn add_items<'i>(hash: &mut Sha256, items: impl Iterator<Item = &'i RetentionItem>, as_of: Timestamp) {
    let now = Stated::by(as_of);
    for item in items {
        let written = if item.state == MemoryState::Deleted { 0 } else { item.updated_at.0 };
        add(hash, [item.seq.0, item.state as i64, i64::from(holds((item.valid_from, item.valid_to), now)), written]);
    }
}

fn first(hash: Sha256) -> i64 {
    hash.finalize().first_chunk().map_or(0, |first| i64::from_le_bytes(*first))
}

/// Deletes all fingerprints, because something changed that no record shows.
pub(crate) async fn forget_read(tx: &mut dyn VaultTransaction) -> Result<()> {
    delete(tx, &Fingerprint::query()).await.map(|_| ())
}

/// Returns when people decided about names and merges.
pub(super) async fn decided(reader: &mut dyn VaultReader) -> Result<Vec<Timestamp>> {
    let rulings = find::<Ruling>(reader, &Ruling::query()).await?.into_iter().map(|ruling| ruling.at);
    let decisions = find::<Decision>(reader, &Decision::query()).await?.into_iter().map(|decision| decision.at);
    Ok(rulings.chain(decisions).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Trigger;
    use super::super::tests::{archived, snapshot};
    use super::*;
    use crate::embedding::ModelKey;
    use crate::memory::{RecordKind, SourceType};

    fn of(picture: &Snapshot) -> Fingerprint {
        Fingerprint::of(("reason", 1), picture, None)
    }

    #[test]
    fn what_a_step_reads_changes_it_and_use_does_not() {
        let active = |seq| RetentionItem { state: MemoryState::Active, ..archived(seq, 0.5) };
        let before = snapshot(Trigger::Request, vec![active(1), active(2), archived(3, 0.1)]);
        let with = |change: fn(&mut Snapshot)| {
            let mut picture = before.clone();
            change(&mut picture);
            of(&picture)
        };
        let same: [fn(&mut Snapshot); 2] =
            [|picture| picture.items[0].score = 0.1, |picture| picture.items[0].access_count = 9];
        assert!(same.into_iter().all(|change| with(change) == of(&before)));
        let made = with(|picture| {
            let insight = RetentionItem {
                kind: RecordKind::Insight,
                by_hand: false,
                source_type: SourceType::Inference,
                ..picture.items[0].clone()
            };
            picture.items.push(insight);
        });
        assert_eq!(made.evidence, of(&before).evidence, "what nights make is no evidence");
        assert_ne!(made.made, of(&before).made);
        let other: [fn(&mut Snapshot); 9] = [
            |picture| picture.decided.push(picture.as_of),
            |picture| picture.items[2].valid_to = Some(picture.as_of),
            |picture| picture.items[0].updated_at = Timestamp(1),
            |picture| picture.items[0].state = MemoryState::Archived,
            |picture| picture.items[2].state = MemoryState::Deleted,
            |picture| picture.items[0].valid_to = Some(picture.as_of),
            |picture| picture.items[0].valid_from = Some(picture.as_of.plus(Span::days(1))),
            |picture| _ = picture.items.pop(),
            |picture| picture.as_of = picture.as_of.plus(COUNTS_FOR),
        ];
        assert!(other.into_iter().all(|change| with(change).evidence != of(&before).evidence));
        let index = IndexState {
            model: ModelKey::new("minilm", "0123456789abcdef", 384).unwrap(),
            items: 2,
            vectors: 2,
            in_sync_at: Some(1),
            disk_bytes: 1,
        };
        let others =
            [Fingerprint::of(("reason", 2), &before, None), Fingerprint::of(("reason", 1), &before, Some(&index))];
        assert!(others.iter().all(|one| one.evidence != of(&before).evidence));
    }
}
