//! What each stage did about a query, for those who ask why.

use super::candidates::Found;
use super::stages::{Stage, Stages};
use super::{Explanation, FoundBy, Ranked};

/// What a stage did about a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Did {
    /// The stage.
    pub stage: Stage,
    /// Whether it took part.
    pub on: bool,
    /// How many candidates there were before it, and after it.
    pub candidates: (usize, usize),
    /// What it did, in a few words; empty if there is nothing to tell.
    pub note: String,
}

/// Notes what stages do. Costs nothing unless a query asks.
#[derive(Clone, Debug, Default)]
pub struct Trace(Option<Vec<Row>>);

#[derive(Clone, Debug)]
struct Row {
    stage: Stage,
    on: bool,
    after: Option<usize>,
    note: String,
}

impl Trace {
    /// For a recall with these stages.
    pub fn new(stages: Stages) -> Self {
        let row = |stage: &Stage| Row { stage: *stage, on: stages.on(*stage), after: None, note: String::new() };
        Self(stages.on(Stage::Explain).then(|| Stage::ALL.iter().map(row).collect()))
    }

    /// How many candidates a stage leaves.
    pub fn left(&mut self, stage: Stage, after: usize) {
        self.change(stage, |row| row.after = Some(after));
    }

    /// What a stage did; a stage that is off has no note.
    pub fn note(&mut self, stage: Stage, note: impl FnOnce() -> String) {
        self.change(stage, |row| row.note = note());
    }

    /// How many each of the stages that look for words found, and time.
    pub fn found(&mut self, found: &[Found]) {
        let mut sum = 0;
        for (stage, by) in [
            (Stage::Words, FoundBy::TERM),
            (Stage::Parts, FoundBy::SUBSTRING),
            (Stage::Time, FoundBy::TIME.and(FoundBy::RECENT)),
        ] {
            let first = |one: &&Found| first_found_by(one.by).is_some_and(|first| by.holds(first));
            sum += found.iter().filter(first).count();
            self.left(stage, sum);
        }
    }

    /// How many candidates each factor weighs.
    pub fn weighed(&mut self, ranked: &[Ranked]) {
        for stage in [Stage::Time, Stage::Roles, Stage::Form, Stage::Stale] {
            let factor = |parts: &Explanation| match stage {
                Stage::Time => parts.time_boost,
                Stage::Roles => parts.speaker_boost,
                Stage::Stale => parts.stale_factor,
                _ => parts.form_boost,
            };
            self.note(stage, || {
                let of = |counts: fn(f64) -> bool| ranked.iter().filter(|one| counts(factor(&one.parts))).count();
                match (of(|factor| factor > 1.0), of(|factor| factor < 1.0)) {
                    (0, 0) => String::new(),
                    (more, 0) => format!("{more} count more"),
                    (0, less) => format!("{less} count less"),
                    (more, less) => format!("{more} count more, {less} less"),
                }
            });
        }
    }

    /// What all stages did, in their order; empty unless the query asks.
    pub fn finish(self) -> Vec<Did> {
        let mut before = 0;
        let did = |Row { stage, on, after, note }| {
            let candidates = (before, after.unwrap_or(before));
            before = candidates.1;
            Did { stage, on, candidates, note }
        };
        self.0.unwrap_or_default().into_iter().map(did).collect()
    }

    fn change(&mut self, stage: Stage, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.0.iter_mut().flatten().find(|row| row.stage == stage && row.on) {
            change(row);
        }
    }
}

/// The first of the ways that it was found in.
fn first_found_by(by: FoundBy) -> Option<FoundBy> {
    [FoundBy::TERM, FoundBy::SUBSTRING, FoundBy::TIME, FoundBy::RECENT].into_iter().find(|way| by.holds(*way))
}
