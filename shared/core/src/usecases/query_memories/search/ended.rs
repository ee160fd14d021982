//! Finds results that ended, and puts what holds instead in front of them.

use std::collections::{HashMap, HashSet};

use super::super::input::CheckedQuery;
use super::answer::Taken;
use crate::error::Result;
use crate::ids::{MemoryId, Seq};
use crate::memory::{MemoryFilter, RecordKind};
use crate::ports::VaultReader;
use crate::recall::stages::ended;
use crate::recall::stages::highlights::Needles;
use crate::recall::{Ranked, Stage};
use crate::time::Timestamp;
use crate::usecases::statements::standing::{Standing, Standings, standings};

/// Most times that the best are looked at again.
const MOST_ROUNDS: usize = 4;

/// The filter of a query, whether it asks about the past, and its words.
pub(super) type Among<'a> = (&'a MemoryFilter, bool, &'a Needles<'a>);

/// What is known of the results that ended.
#[derive(Default)]
pub(super) struct Ended {
    seen: HashSet<Seq>,
    rounds: usize,
    lowered: usize,
    standings: HashMap<MemoryId, Standing>,
    /// Results that are not valid at the time that the caller asked for.
    invalid: HashSet<Seq>,
    /// Records that stand in for a result, by the numbers of both.
    stands_for: HashMap<Seq, Seq>,
    /// For each turn the records that state what it was found for.
    stating: HashMap<MemoryId, Vec<Seq>>,
}

impl Ended {
    /// Looks at results that it has not seen: lowers those that ended, and ranks what holds instead at least as high as
    /// they were. Reports whether the ranking changed.
    pub(super) async fn give_way(
        &mut self,
        vault: &mut dyn VaultReader,
        ranked: &mut Vec<Ranked>,
        taken: &[Taken],
        (query, (filter, asks_past, needles)): (&CheckedQuery, Among<'_>),
    ) -> Result<bool> {
        let new: Vec<&Taken> = taken.iter().filter(|(one, _)| self.seen.insert(one.seq)).collect();
        let Some(at) = filter.valid_at.filter(|_| !new.is_empty() && self.rounds < MOST_ROUNDS) else {
            return Ok(false);
        };
        self.rounds += 1;
        let memories: Vec<_> = new.iter().map(|(_, memory)| memory).collect();
        let Standings { ended: found, mut stated } = standings(vault, &memories, (at, query.valid_at_asked)).await?;
        let demotes = query.plan.on(Stage::Ended) && !asks_past;
        let mut changed = false;
        for (one, memory) in new {
            if let Some(spans) = stated.remove(&memory.id) {
                self.stating.insert(memory.id, ended::matched(&memory.draft.content, spans, needles));
            }
            let Some(standing) = found.get(&memory.id).filter(|_| memory.draft.kind == RecordKind::Turn) else {
                continue;
            };
            let through = ended::matches_through(&memory.draft.content, &standing.ended, needles);
            if through && query.valid_at_asked {
                self.invalid.insert(one.seq);
            } else if through && demotes {
                self.stand_in(vault, ranked, one, (standing, filter)).await?;
            } else {
                continue;
            }
            changed = true;
            self.lowered += 1;
            if query.valid_at_asked {
                ranked.retain(|other| other.seq != one.seq);
            } else {
                let lowered = ranked.iter_mut().filter(|other| other.seq == one.seq);
                lowered.for_each(|one| ended::lower(one, &query.plan.weights));
            }
        }
        self.standings.extend(found);
        Ok(changed)
    }

    /// Ranks the records that hold instead of a result as high as it was.
    async fn stand_in(
        &mut self,
        vault: &mut dyn VaultReader,
        ranked: &mut Vec<Ranked>,
        of: &Ranked,
        (standing, filter): (&Standing, &MemoryFilter),
    ) -> Result<()> {
        if standing.superseded_by.is_empty() {
            return Ok(());
        }
        let seqs: Vec<Seq> = vault.seqs(&standing.superseded_by).await?.into_iter().map(|(_, seq)| seq).collect();
        for hit in vault.at_seqs(&seqs, filter).await? {
            self.stands_for.insert(hit.seq, of.seq);
            match ranked.iter_mut().find(|one| one.seq == hit.seq) {
                Some(one) => one.score = one.score.max(of.score),
                None => ranked.push(Ranked { seq: hit.seq, ..*of }),
            }
        }
        Ok(())
    }

    /// Drops results that are not valid at the time asked for, and moves others behind what holds instead.
    pub(super) fn sort(&self, taken: &mut Vec<Taken>) {
        taken.retain(|(one, _)| !self.invalid.contains(&one.seq));
        ended::behind(taken, |(_, newer), (older, memory)| {
            let replaced = || self.standings.get(&memory.id).is_some_and(|one| one.superseded_by.contains(&newer.id));
            older.parts.ended_factor < 1.0 && replaced()
        });
    }

    /// The records that state what a turn was found for.
    pub(super) fn stating(&mut self, id: MemoryId) -> Vec<Seq> {
        self.stating.remove(&id).unwrap_or_default()
    }

    /// How many results gave way.
    pub(super) fn lowered(&self) -> usize {
        self.lowered
    }

    /// Gives records that stand in for results at least the relevance of those.
    pub(super) fn relevances(&self, taken: &[Taken], own: &[f64]) -> Vec<f64> {
        let of = |seq: Seq| taken.iter().position(|(one, _)| one.seq == seq).map_or(0.0, |at| own[at]);
        let stood_for = |(one, _): &Taken| self.stands_for.get(&one.seq).map_or(0.0, |seq| of(*seq));
        taken.iter().zip(own).map(|(one, relevance)| relevance.max(stood_for(one))).collect()
    }

    /// When a result ended, and the record that holds instead.
    pub(super) fn end_of(&self, id: MemoryId) -> (Option<Timestamp>, Option<MemoryId>) {
        let standing = self.standings.get(&id);
        let by = standing.and_then(|standing| standing.superseded_by.last().copied());
        (standing.and_then(|standing| standing.ended_at), by)
    }
}
