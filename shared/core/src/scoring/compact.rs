//! The short JSON that storage keeps of a score: about 150 bytes, read back to the bit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use super::inputs::{INPUTS, Input, Presence};
use super::{ScoreRecord, Signals, Weights};
use crate::error::{Error, Result, StorageFailure};
use crate::ids::GoalId;
use crate::time::Timestamp;

/// The prefix of every version's name.
const VERSION_PREFIX: &str = "scoring/v";

/// The stored form of a record. Inputs that are 0 are omitted where reading can restore them from their name alone.
#[derive(Serialize, Deserialize)]
struct Compact<I> {
    v: u32,
    t: i64,
    s: f64,
    x: [f64; 4],
    w: [f64; 4],
    i: I,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    g: Option<Uuid>,
}

/// Inputs by their short names, in order. Borrowed, since a night writes a record for every memory.
struct Shortened<'a>(Vec<(&'a str, f64)>);

impl<'a> Shortened<'a> {
    fn of(inputs: &'a BTreeMap<String, f64>) -> Self {
        let mut short: Vec<_> = inputs.iter().filter_map(|(name, value)| shorten(name, *value)).collect();
        short.sort_unstable_by_key(|(key, _)| *key);
        Self(short)
    }
}

impl Serialize for Shortened<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl ScoreRecord {
    /// Returns the record as short JSON, for storage.
    pub fn to_compact(&self) -> String {
        let signals = &self.signals;
        let compact = Compact {
            v: number(&self.version).unwrap_or(0),
            t: self.scored_at.0,
            s: self.score,
            x: [signals.relevance_to_goals, signals.emotional_weight, signals.predictive_value, signals.recency_freq],
            w: self.weights.to_array(),
            i: Shortened::of(&self.inputs),
            g: self.best_goal.map(|id| id.0),
        };
        // Serializing numbers, names and an id cannot fail. If it did, the empty text would read back as corrupt, not
        // as another score.
        serde_json::to_string(&compact).unwrap_or_default()
    }

    /// Reads a record from its short JSON. Fails with a corrupt [`Error::Storage`] if it is not one.
    pub fn from_compact(json: &str) -> Result<Self> {
        let Compact::<BTreeMap<String, f64>> { v, t, s, x, w, i, g } = serde_json::from_str(json).map_err(|error| {
            let detail = format!("a stored score cannot be read: {:?} at column {}", error.classify(), error.column());
            Error::storage(StorageFailure::Corrupt, detail)
        })?;
        let [relevance_to_goals, emotional_weight, predictive_value, recency_freq] = x;
        Ok(Self {
            version: format!("{VERSION_PREFIX}{v}"),
            scored_at: Timestamp(t),
            score: s,
            signals: Signals { relevance_to_goals, emotional_weight, predictive_value, recency_freq },
            weights: Weights::new(w),
            inputs: lengthen(i, g.is_some()),
            best_goal: g.map(GoalId),
        })
    }
}

/// Parses the number out of a version's name.
fn number(version: &str) -> Option<u32> {
    version.strip_prefix(VERSION_PREFIX).and_then(|number| number.parse().ok())
}

/// Reports whether this is a version's name in the form that records use.
pub(crate) fn is_version(name: &str) -> bool {
    number(name).is_some_and(|number| format!("{VERSION_PREFIX}{number}") == name)
}

fn shorten(name: &str, value: f64) -> Option<(&str, f64)> {
    let Some(Input { key, presence, scale, .. }) = INPUTS.iter().find(|input| input.name == name) else {
        return Some((name, value));
    };
    let zero = value.to_bits() == 0;
    (!zero || *presence == Presence::IfGiven).then_some((*key, value * scale))
}

fn lengthen(stored: BTreeMap<String, f64>, with_goal: bool) -> BTreeMap<String, f64> {
    let implied = INPUTS.iter().filter(|input| match input.presence {
        Presence::Always => true,
        Presence::WithGoal => with_goal,
        Presence::IfGiven => false,
    });
    let mut inputs: BTreeMap<_, _> = implied.map(|input| (input.name.to_owned(), 0.0)).collect();
    for (key, value) in stored {
        match INPUTS.iter().find(|input| input.key == key) {
            Some(input) => inputs.insert(input.name.to_owned(), value / input.scale),
            None => inputs.insert(key, value),
        };
    }
    inputs
}
