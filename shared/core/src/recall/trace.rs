//! Records what each stage did for a query, for callers who ask for an explanation.

use super::candidates::Found;
use super::stages::{Stage, Stages};
use super::{Explanation, FoundBy, Ranked};

/// The effect of one stage on a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Did {
    /// The stage.
    pub stage: Stage,
    /// Whether it took part.
    pub on: bool,
    /// The number of candidates before and after the stage.
    pub candidates: (usize, usize),
    /// Its effect, in a few words; empty if there is nothing to say.
    pub note: String,
}

/// Records what stages do. Costs nothing unless the query asks for it.
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
    /// Creates the trace of a recall with these stages.
    pub fn new(stages: Stages) -> Self {
        let row = |stage: &Stage| Row { stage: *stage, on: stages.on(*stage), after: None, note: String::new() };
        Self(stages.on(Stage::Explain).then(|| Stage::ALL.iter().map(row).collect()))
    }

    /// Records how many candidates remain after a stage.
    pub fn left(&mut self, stage: Stage, after: usize) {
        self.change(stage, |row| row.after = Some(after));
    }

    /// Records what a stage did; a stage that is off has no note.
    pub fn note(&mut self, stage: Stage, note: impl FnOnce() -> String) {
        self.change(stage, |row| row.note = note());
    }

    /// Records how many candidates the searching stages found, by words, parts and time.
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

    /// Records how many candidates each factor raises or lowers.
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

    /// Returns what all stages did, in their order; empty unless the query asks for it.
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

/// Returns the first of the ways in which it was found.
fn first_found_by(by: FoundBy) -> Option<FoundBy> {
    [FoundBy::TERM, FoundBy::SUBSTRING, FoundBy::TIME, FoundBy::RECENT].into_iter().find(|way| by.holds(*way))
}
