//! Decides what to do about pairs of records that contradict each other: end one of them, or ask a person.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::beliefs::{Conflict, conflicts};
use crate::bounds::MAX_LINKS_PER_MEMORY;
use crate::ids::{MemoryId, Seq};
use crate::links::{Link, Relation};
use crate::meditation::kinds::{BYTES, Body, OTHERS, OURS};
use crate::meditation::{Change, Kind, Reason, Subject};
use crate::memory::Memory;
use crate::time::Timestamp;

/// Most contradictions that a run finds.
pub(super) const MOST: usize = 20;
/// Links that a run may add to one record: two for each contradiction with another.
const LINKS: usize = 2 * MOST;

/// Two records that cannot both be true.
pub(super) struct Pair<'m> {
    one: &'m Memory,
    two: &'m Memory,
    conflict: Conflict,
}

impl Pair<'_> {
    /// Returns both ids.
    pub(super) const fn ids(&self) -> [MemoryId; 2] {
        [self.one.id, self.two.id]
    }

    /// Returns both sequence numbers.
    const fn seqs(&self) -> [Seq; 2] {
        [self.one.seq, self.two.seq]
    }
}

/// Returns the contradicting pairs within groups, each once, the newest first.
pub(super) fn compare<'m>(groups: &[Vec<Seq>], memories: &'m BTreeMap<Seq, Memory>) -> Vec<Pair<'m>> {
    let mut pairs: BTreeMap<Reverse<(Seq, Seq)>, Pair<'m>> = BTreeMap::new();
    for group in groups {
        let records: Vec<&'m Memory> = group.iter().filter_map(|seq| memories.get(seq)).collect();
        for (one, two, conflict) in conflicts(&records) {
            let (Some(one), Some(two)) = (records.get(one), records.get(two)) else { continue };
            let (one, two) = if one.seq < two.seq { (*one, *two) } else { (*two, *one) };
            pairs.insert(Reverse((two.seq, one.seq)), Pair { one, two, conflict });
        }
    }
    pairs.into_values().collect()
}

/// The changes found so far.
pub(super) struct Found {
    changes: Vec<Change>,
    most: usize,
    full: bool,
    /// Records that end. They contradict nothing else.
    ended: BTreeSet<Seq>,
    /// Records about which a person is already asked; each is asked about only once.
    asked: BTreeSet<Seq>,
}

impl Found {
    /// Starts with no changes and room for `most`.
    pub(super) const fn new(most: usize) -> Self {
        Self { changes: Vec::new(), most, full: false, ended: BTreeSet::new(), asked: BTreeSet::new() }
    }

    /// Reports whether more was found than there is room for.
    pub(super) const fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the changes.
    pub(super) fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// Adds pairs. `links` show what is already known about them. `ended` are records that were ended before: if one of
    /// them holds all the same, it was restored and is not ended again.
    pub(super) fn add(&mut self, pairs: Vec<Pair<'_>>, links: &[Link], ended: &BTreeSet<MemoryId>, now: Timestamp) {
        let mut open = Vec::new();
        for pair in pairs {
            match Known::of(links, &pair) {
                Known::Nothing => open.push(pair),
                Known::Asked => self.asked.extend(pair.seqs().iter().max()),
                Known::Settled => {}
            }
        }
        let loser = |pair: &Pair<'_>| {
            let loser = pair.conflict.loser(pair.one, pair.two, now)?;
            (!ended.contains(&loser.id)).then_some(loser.seq)
        };
        for pair in &open {
            let Some(loser) = loser(pair) else { continue };
            if !self.ends(pair) {
                self.ended.insert(loser);
                let (kept, lost) = if loser == pair.one.seq { (pair.two, pair.one) } else { (pair.one, pair.two) };
                self.push(Kind::Resolve, Reason::LessBelieved, (kept, lost), (pair.conflict, now));
            }
        }
        for pair in &open {
            if !self.ends(pair) && self.asked.insert(pair.two.seq) {
                let later = pair.one.occurred_at() > pair.two.occurred_at();
                let (ours, other) = if later { (pair.one, pair.two) } else { (pair.two, pair.one) };
                self.push(Kind::Contradict, Reason::Contradicts, (ours, other), (pair.conflict, now));
            }
        }
    }

    fn ends(&self, pair: &Pair<'_>) -> bool {
        pair.seqs().iter().any(|seq| self.ended.contains(seq))
    }

    fn push(
        &mut self,
        kind: Kind,
        reason: Reason,
        (ours, other): (&Memory, &Memory),
        (conflict, now): (Conflict, Timestamp),
    ) {
        if self.changes.len() >= self.most {
            self.full = true;
            return;
        }
        let subject = |memory: &Memory| Subject { id: memory.id.0, seq: memory.seq };
        let body = Body::default()
            .whole(BYTES, ours.size_bytes.saturating_add(other.size_bytes))
            .part(OURS.confidence, conflict.believed(ours, now))
            .whole(OURS.revision, ours.revision)
            .part(OTHERS.confidence, conflict.believed(other, now))
            .whole(OTHERS.revision, other.revision);
        self.changes.push(Change { step: "", kind, subjects: vec![subject(ours), subject(other)], reason, body });
    }
}

/// The existing links between two records.
enum Known {
    /// Nothing.
    Nothing,
    /// A link says that they contradict each other: a person decides, or has decided.
    Asked,
    /// One record supersedes the other or was made from it, or there is no room for links.
    Settled,
}

impl Known {
    fn of(links: &[Link], pair: &Pair<'_>) -> Self {
        let (one, two) = (pair.one.id, pair.two.id);
        let between = |link: &&Link| [(one, two), (two, one)].contains(&(link.from, link.to));
        let relations: Vec<Relation> = links.iter().filter(between).map(|link| link.relation).collect();
        let settled = [Relation::Supersedes, Relation::DerivedFrom, Relation::Summarizes];
        let count = |id: MemoryId| links.iter().filter(|link| link.from == id || link.to == id).count();
        if relations.contains(&Relation::Contradicts) {
            Self::Asked
        } else if relations.iter().any(|relation| settled.contains(relation))
            || [one, two].iter().any(|id| count(*id) + LINKS > MAX_LINKS_PER_MEMORY)
        {
            Self::Settled
        } else {
            Self::Nothing
        }
    }
}
