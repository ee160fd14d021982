//! Converts a filter to a list of conditions. Both backends generate SQL from it; the cached columns evaluate it directly.
//!
//! To extend filters, add a line to [`conditions`], and an [`Operand`] if it uses a new column.

use kimberly_core::memory::{ClosedSet, MemoryFilter, RecordKind, SensitivityFilter};
use kimberly_core::time::Timestamp;

use crate::codes::code;
use crate::columns::Entry;
use crate::rows::folded;
use crate::sealed::Seals;
use crate::tables::memories::{NAME, SUBJECT};

/// A numeric operand of conditions.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    /// SQL expression over `memories m`, valid on both backends.
    pub(crate) sql: &'static str,
    /// Getter on cached entries; a filter with an operand that has none uses SQL.
    pub(crate) cached: Option<fn(&Entry) -> i64>,
}

const STATE: Operand = Operand { sql: "m.state", cached: Some(Entry::state) };
const TIER: Operand = Operand { sql: "m.tier", cached: Some(Entry::tier) };
const SOURCE: Operand = Operand { sql: "m.source", cached: Some(Entry::source) };
const SCOPE: Operand = Operand { sql: "m.scope", cached: Some(Entry::scope) };
/// 2 means that the memory is about to be erased and hidden from all callers.
const WITHHELD: Operand = Operand { sql: "m.withheld", cached: Some(Entry::withheld) };
const SENSITIVE: Operand = Operand { sql: "m.sensitive", cached: Some(Entry::sensitive) };
const CREATED: Operand = Operand { sql: "m.created_at", cached: Some(Entry::created_at) };
const OCCURRED: Operand = Operand { sql: "coalesce(m.occurred_at, m.created_at)", cached: Some(Entry::occurred_at) };

/// NULL if the memory has no kind.
const KIND: Operand = Operand { sql: "m.kind", cached: Some(Entry::kind) };
const ANY_KIND: Operand = Operand { sql: "coalesce(m.kind, 0)", cached: Some(Entry::kind) };
const STALE: Operand = Operand { sql: "(m.stale_since IS NOT NULL)", cached: Some(Entry::stale) };
const IMPORTANCE: Operand = Operand { sql: "m.importance", cached: None };
/// NULL means unbounded.
const VALID_FROM: Operand =
    Operand { sql: "coalesce(m.valid_from, -9223372036854775807)", cached: Some(Entry::valid_from) };
const VALID_TO: Operand = Operand { sql: "coalesce(m.valid_to, 9223372036854775807)", cached: Some(Entry::valid_to) };
const CONFIDENCE: &str = "m.confidence";
const AUTHOR: &str = "m.author";

/// Names that memories reference by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// SQL expression of the number, over `memories m`.
    pub(crate) sql: &'static str,
    /// The table that maps names to numbers (`no`).
    pub(crate) table: &'static str,
    /// The name column of that table.
    pub(crate) name: &'static str,
}

const SESSIONS: Names = Names { sql: "m.session", table: "sessions", name: "id" };
const SPEAKERS: Names = Names { sql: "m.speaker", table: "speakers", name: "folded" };
/// The empty name has number 0.
pub(crate) const NAMESPACES: Names = Names { sql: "m.namespace", table: "namespaces", name: "name" };

/// The tags that a condition considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tags {
    /// Tags that people gave.
    Own,
    /// These and the tags that meditation gave: rows of `auto_tags`, joined by memory.
    All,
}

/// A condition on a memory.
pub(crate) enum Condition {
    /// The number is one of these.
    Among(Operand, Vec<i64>),
    /// The number is at least this.
    From(Operand, i64),
    /// The number is below this.
    Before(Operand, i64),
    /// The share (an SQL expression valid on both backends) is at least this.
    AtLeast(&'static str, f64),
    /// The share is below this.
    Below(&'static str, f64),
    /// The memory is valid at `at`, or its end was recorded only after `known`: rows of `endings`.
    HeldAsKnown {
        /// The time in question plus one microsecond.
        at: i64,
        /// The time up to which recorded endings count.
        known: i64,
    },
    /// The text is one of these.
    Text(&'static str, Vec<String>),
    /// The subject is one of these, ignoring case.
    Subject(Vec<String>),
    /// The name is not that of a sensitive record, and its bytes are at least the first value and below the second.
    Prefix(Vec<u8>, Vec<u8>),
    /// The flag has this value.
    Is(Operand, bool),
    /// The number belongs to one of these names.
    Named(Names, Vec<String>),
    /// At least one of these tags is present.
    AnyTag(Vec<String>, Tags),
}

/// Returns the conditions of a filter.
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

/// Returns the conditions on kind, subject, confidence, importance, staleness and validity.
fn of_belief(filter: &MemoryFilter) -> Vec<Condition> {
    let mut all = Vec::new();
    let of_layers: Vec<_> = filter.layers.iter().flat_map(|layer| layer.kinds()).collect();
    for kinds in [&filter.kinds, &of_layers].into_iter().filter(|kinds| !kinds.is_empty()) {
        // Uses the nullable column if possible: its index omits memories without a kind.
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

/// Returns the stored keys by which these subjects are found: in plain text, and as blind indexes where they are sealed.
pub(crate) fn subject_keys(subjects: &[String], seals: Option<&Seals>) -> Vec<Vec<u8>> {
    keys(SUBJECT, subjects, seals)
}

/// Returns the stored keys by which a record of this name is found.
pub(crate) fn name_keys(name: &str, seals: Option<&Seals>) -> Vec<Vec<u8>> {
    keys(NAME, &[name.to_owned()], seals)
}

fn keys(column: &'static str, texts: &[String], seals: Option<&Seals>) -> Vec<Vec<u8>> {
    // Names that this process cannot open are not found.
    let blind_indexes = |text: &String| seals.filter(|seals| seals.can_open())?.blind_indexes(column, text).ok();
    let sealed = texts.iter().filter_map(blind_indexes).flatten();
    texts.iter().map(|text| text.clone().into_bytes()).chain(sealed).collect()
}

/// Returns the smallest byte string above all texts that start with the non-empty prefix. Text never contains the byte
/// 0xFF.
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

/// Returns the codes of values, sorted and deduplicated, so that equal filters give equal statements.
fn codes<T: ClosedSet>(values: &[T]) -> Vec<i64> {
    let mut codes: Vec<_> = values.iter().map(|value| code(*value)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Formats numbers for an SQL list. Codes of closed sets cannot contain caller text, so inlining them is safe.
pub(crate) fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
