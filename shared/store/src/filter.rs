//! A filter as a list of conditions: what both backends make SQL of, and what the columns that are kept in memory are asked.
//!
//! To have a filter ask something more, add a line to [`conditions`], and an [`Operand`] if it is about another column.

use kimberly_core::memory::{ClosedSet, MemoryFilter, RecordKind, SensitivityFilter};
use kimberly_core::time::Timestamp;

use crate::codes::code;
use crate::columns::Entry;
use crate::rows::folded;
use crate::sealed::Seals;
use crate::tables::memories::{NAME, SUBJECT};

/// A number that conditions are about.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    /// Of `memories m`, in SQL of both backends.
    pub(crate) sql: &'static str,
    /// The same of an entry that is kept in memory, if it is there; filters that ask for another go to SQL.
    pub(crate) kept: Option<fn(&Entry) -> i64>,
}

const STATE: Operand = Operand { sql: "m.state", kept: Some(Entry::state) };
const TIER: Operand = Operand { sql: "m.tier", kept: Some(Entry::tier) };
const SOURCE: Operand = Operand { sql: "m.source", kept: Some(Entry::source) };
const SCOPE: Operand = Operand { sql: "m.scope", kept: Some(Entry::scope) };
/// 2 is about to be erased, and hidden from all.
const WITHHELD: Operand = Operand { sql: "m.withheld", kept: Some(Entry::withheld) };
const SENSITIVE: Operand = Operand { sql: "m.sensitive", kept: Some(Entry::sensitive) };
const CREATED: Operand = Operand { sql: "m.created_at", kept: Some(Entry::created_at) };
const OCCURRED: Operand = Operand { sql: "coalesce(m.occurred_at, m.created_at)", kept: Some(Entry::occurred_at) };

/// NULL for those without a kind.
const KIND: Operand = Operand { sql: "m.kind", kept: Some(Entry::kind) };
const ANY_KIND: Operand = Operand { sql: "coalesce(m.kind, 0)", kept: Some(Entry::kind) };
const STALE: Operand = Operand { sql: "(m.stale_since IS NOT NULL)", kept: Some(Entry::stale) };
const IMPORTANCE: Operand = Operand { sql: "m.importance", kept: None };
/// NULL for always and for good.
const VALID_FROM: Operand =
    Operand { sql: "coalesce(m.valid_from, -9223372036854775807)", kept: Some(Entry::valid_from) };
const VALID_TO: Operand = Operand { sql: "coalesce(m.valid_to, 9223372036854775807)", kept: Some(Entry::valid_to) };
const CONFIDENCE: &str = "m.confidence";
const AUTHOR: &str = "m.author";

/// Names that have numbers, by which memories hold them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The number, of `memories m`.
    pub(crate) sql: &'static str,
    /// Where names have their numbers, `no`.
    pub(crate) table: &'static str,
    /// The column of a name there.
    pub(crate) name: &'static str,
}

const SESSIONS: Names = Names { sql: "m.session", table: "sessions", name: "id" };
const SPEAKERS: Names = Names { sql: "m.speaker", table: "speakers", name: "folded" };
/// The empty name has the number 0.
pub(crate) const NAMESPACES: Names = Names { sql: "m.namespace", table: "namespaces", name: "name" };

/// Which tags count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tags {
    /// Those that people gave.
    Own,
    /// Those that nights gave, too: rows of `auto_tags`, found by the memory.
    All,
}

/// What must hold of a memory.
pub(crate) enum Condition {
    /// A number is one of these.
    Among(Operand, Vec<i64>),
    /// A number is this one or higher.
    From(Operand, i64),
    /// A number is lower.
    Before(Operand, i64),
    /// A share, in SQL of both backends, is this one or higher.
    AtLeast(&'static str, f64),
    /// A share is lower.
    Below(&'static str, f64),
    /// It holds until this time or longer, or it was said only after another one that it does not: rows of `endings`.
    HeldAsKnown {
        /// The time, and one microsecond.
        at: i64,
        /// The other.
        known: i64,
    },
    /// A text is one of these.
    Text(&'static str, Vec<String>),
    /// The subject is one of these, without regard to case.
    Subject(Vec<String>),
    /// The name is not that of a sensitive record and, as bytes, from the first of these on and before the second.
    Prefix(Vec<u8>, Vec<u8>),
    /// A flag is set, or is not.
    Is(Operand, bool),
    /// A number is that of one of these names.
    Named(Names, Vec<String>),
    /// At least one of these is among the tags.
    AnyTag(Vec<String>, Tags),
}

/// What a filter asks.
pub(crate) fn conditions(filter: &MemoryFilter) -> Vec<Condition> {
    let mut all =
        vec![Condition::Among(STATE, codes(filter.effective_states())), Condition::Among(WITHHELD, withheld(filter))];
    for (operand, codes) in
        [(TIER, codes(&filter.tiers)), (SOURCE, codes(&filter.sources)), (SCOPE, codes(&filter.scopes))]
    {
        all.extend((!codes.is_empty()).then_some(Condition::Among(operand, codes)));
    }
    match filter.sensitivity {
        SensitivityFilter::Any => {}
        SensitivityFilter::Exclude => all.push(Condition::Is(SENSITIVE, false)),
        SensitivityFilter::Only => all.push(Condition::Is(SENSITIVE, true)),
    }
    all.extend(window(CREATED, filter.created_after, filter.created_before));
    all.extend(window(OCCURRED, filter.occurred_after, filter.occurred_before));
    let speakers = filter.speakers.iter().map(|name| folded(name)).collect();
    let sessions = filter.session_id.iter().cloned().collect();
    for (names, wanted) in [(SESSIONS, sessions), (NAMESPACES, filter.namespaces.clone()), (SPEAKERS, speakers)] {
        all.extend((!wanted.is_empty()).then_some(Condition::Named(names, wanted)));
    }
    all.extend(of_belief(filter));
    let tags = if filter.own_tags { Tags::Own } else { Tags::All };
    all.extend((!filter.tags_any.is_empty()).then(|| Condition::AnyTag(filter.tags_any.clone(), tags)));
    all.extend(filter.tags_all.iter().map(|tag| Condition::AnyTag(vec![tag.clone()], tags)));
    all
}

fn withheld(filter: &MemoryFilter) -> Vec<i64> {
    match (filter.withheld, filter.doomed) {
        (false, _) => vec![0],
        (true, false) => vec![0, 1],
        (true, true) => vec![0, 1, 2],
    }
}

/// What a filter asks about what memories are and how far they are to be believed.
fn of_belief(filter: &MemoryFilter) -> Vec<Condition> {
    let mut all = Vec::new();
    let of_layers: Vec<_> = filter.layers.iter().flat_map(|layer| layer.kinds()).collect();
    for kinds in [&filter.kinds, &of_layers].into_iter().filter(|kinds| !kinds.is_empty()) {
        // An index leads to kinds, and holds none of those without.
        let operand = if kinds.contains(&RecordKind::Unset) { ANY_KIND } else { KIND };
        all.push(Condition::Among(operand, codes(kinds)));
    }
    if !filter.subjects.is_empty() {
        all.push(Condition::Subject(filter.subjects.iter().map(|name| folded(name.trim())).collect()));
    }
    all.extend((filter.min_confidence > 0.0).then_some(Condition::AtLeast(CONFIDENCE, filter.min_confidence)));
    all.extend((filter.below_confidence > 0.0).then_some(Condition::Below(CONFIDENCE, filter.below_confidence)));
    all.extend((filter.min_importance > 0).then(|| Condition::From(IMPORTANCE, filter.min_importance.into())));
    all.extend(filter.stale.then_some(Condition::Is(STALE, true)));
    if let Some(Timestamp(at)) = filter.valid_at {
        let behind = at.saturating_add(1);
        all.push(Condition::Before(VALID_FROM, behind));
        all.push(match filter.known_as_of {
            Some(Timestamp(known)) => Condition::HeldAsKnown { at: behind, known },
            None => Condition::From(VALID_TO, behind),
        });
    }
    all.extend(filter.known_as_of.map(|Timestamp(at)| Condition::Before(CREATED, at.saturating_add(1))));
    if let Some(prefix) = &filter.name_prefix {
        all.push(Condition::Is(SENSITIVE, false));
        all.push(Condition::Prefix(prefix.clone().into_bytes(), behind(prefix)));
    }
    all.extend((!filter.authors.is_empty()).then(|| Condition::Text(AUTHOR, filter.authors.clone())));
    all
}

/// By which bytes memories about these subjects are found: as they are, and as they stand where they are sealed.
pub(crate) fn subject_keys(subjects: &[String], seals: Option<&Seals>) -> Vec<Vec<u8>> {
    keys(SUBJECT, subjects, seals)
}

/// By which bytes the record of this name is found.
pub(crate) fn name_keys(name: &str, seals: Option<&Seals>) -> Vec<Vec<u8>> {
    keys(NAME, &[name.to_owned()], seals)
}

fn keys(column: &'static str, texts: &[String], seals: Option<&Seals>) -> Vec<Vec<u8>> {
    // What cannot be opened here is not found either.
    let marks = |text: &String| seals.filter(|seals| seals.can_open())?.marks(column, text).ok();
    let sealed = texts.iter().filter_map(marks).flatten();
    texts.iter().map(|text| text.clone().into_bytes()).chain(sealed).collect()
}

/// The first bytes behind all texts that begin with this one, which is not empty. No text holds the highest byte.
pub(crate) fn behind(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last = last.saturating_add(1);
    }
    end
}

fn window(of: Operand, after: Option<Timestamp>, before: Option<Timestamp>) -> impl Iterator<Item = Condition> {
    let after = after.map(|at| Condition::From(of, at.0));
    after.into_iter().chain(before.map(|at| Condition::Before(of, at.0)))
}

/// The numbers of values, each once and in order, so that the same filter is the same statement.
fn codes<T: ClosedSet>(values: &[T]) -> Vec<i64> {
    let mut codes: Vec<_> = values.iter().map(|value| code(*value)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Numbers as SQL has them in a list. Closed sets cannot carry text of a caller's, so they stand in the statement.
pub(crate) fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
