//! The names of a score's inputs, and the short names that storage uses for them.

/// Hours in a day.
pub(super) const HOURS_PER_DAY: f64 = 24.0;

/// One input: its name in [`ScoreRecord::inputs`](super::ScoreRecord::inputs), and when it is present.
pub(super) struct Input {
    /// The published name.
    pub(super) name: &'static str,
    /// The name in storage.
    pub(super) key: &'static str,
    /// When the input is present.
    pub(super) presence: Presence,
    /// The factor that storage multiplies the value by: days are stored as whole hours.
    pub(super) scale: f64,
}

/// When an input is part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// Always.
    Always,
    /// When a goal matched.
    WithGoal,
    /// When the memory has a value for it.
    IfGiven,
}

const fn input(name: &'static str, key: &'static str, presence: Presence) -> Input {
    Input { name, key, presence, scale: 1.0 }
}

const fn age(name: &'static str, key: &'static str) -> Input {
    Input { name, key, presence: Presence::Always, scale: HOURS_PER_DAY }
}

/// Every input. Keys are stored, so they never change their meaning.
pub(super) const INPUTS: &[Input] = &[
    age("age_days", "a"),
    age("days_since_seen", "l"),
    input("access_count", "n", Presence::Always),
    input("sentiment", "s", Presence::Always),
    input("feedback", "f", Presence::IfGiven),
    input("helpful", "h", Presence::Always),
    input("unhelpful", "u", Presence::Always),
    input("informativeness", "p", Presence::IfGiven),
    input("similar_helpful", "H", Presence::Always),
    input("similar_unhelpful", "U", Presence::Always),
    input("goals", "g", Presence::Always),
    input("goal_importance", "i", Presence::WithGoal),
    input("goal_title_words", "w", Presence::WithGoal),
    input("goal_title_matched", "m", Presence::WithGoal),
    input("goal_description_matched", "d", Presence::WithGoal),
    input("goal_tags_matched", "t", Presence::WithGoal),
    input("goal_nearness", "v", Presence::IfGiven),
];

/// Reports whether a score may have an input of this name.
pub(crate) fn is_input(name: &str) -> bool {
    INPUTS.iter().any(|input| input.name == name)
}
