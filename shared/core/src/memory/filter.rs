//! Filters that limit the memories of a list or query (K-5.1).

use serde::{Deserialize, Serialize};

use super::label::label_problem;
use super::{Layer, Memory, MemoryState, RecordKind, Scope, Source, Tier};
use crate::bounds;
use crate::error::{Error, FieldViolation, Result};
use crate::time::Timestamp;

/// The memories that pass, by sensitivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SensitivityFilter {
    /// All memories.
    #[default]
    Any,
    /// Only non-sensitive ones.
    Exclude,
    /// Only sensitive ones.
    Only,
}

impl SensitivityFilter {
    /// Reports whether a memory with this sensitivity passes.
    const fn lets(self, sensitive: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Exclude => !sensitive,
            Self::Only => sensitive,
        }
    }
}

/// The order of a list: by creation time, then by sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ListOrder {
    /// Newest first.
    #[default]
    NewestFirst,
    /// Oldest first.
    OldestFirst,
}

/// Conditions that must all hold; an empty list or `None` means no condition, except that empty `states` means active only.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition that callers may set")]
pub struct MemoryFilter {
    /// In any of these tiers.
    pub tiers: Vec<Tier>,
    /// With at least one of these tags, given by people or by nightly steps.
    pub tags_any: Vec<String>,
    /// With all of these tags.
    pub tags_all: Vec<String>,
    /// Created at this time or later.
    pub created_after: Option<Timestamp>,
    /// Created before this time.
    pub created_before: Option<Timestamp>,
    /// Happened at this time or later.
    pub occurred_after: Option<Timestamp>,
    /// Happened before this time.
    pub occurred_before: Option<Timestamp>,
    /// By sensitivity.
    pub sensitivity: SensitivityFilter,
    /// From any of these sources.
    pub sources: Vec<Source>,
    /// With any of these scopes.
    pub scopes: Vec<Scope>,
    /// In this session.
    pub session_id: Option<String>,
    /// In any of these states.
    pub states: Vec<MemoryState>,
    /// By any of these speakers, without regard to case.
    pub speakers: Vec<String>,
    /// In any of these namespaces; an empty name is the default one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Of any of these kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<RecordKind>,
    /// In any of these layers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// About any of these subjects, without regard to case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// With at least this confidence; 0 for all.
    #[serde(default)]
    pub min_confidence: f64,
    /// With a confidence below this; 0 for all.
    #[serde(default)]
    pub below_confidence: f64,
    /// With at least this importance; 0 for all.
    #[serde(default)]
    pub min_importance: i32,
    /// Valid at this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_at: Option<Timestamp>,
    /// Known at this time: created by then and not invalidated by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_as_of: Option<Timestamp>,
    /// Created by any of these credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// Without a time, also those not valid now: superseded, invalidated or not yet valid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_time: bool,
    /// With a name that begins with this; sensitive memories never match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_prefix: Option<String>,
    /// Only stale ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// Whether only people's tags count: for consents and for forgetting.
    #[serde(skip)]
    pub own_tags: bool,
    /// Also memories withheld because their consent was retracted: only for exports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withheld: bool,
    /// Also withheld memories that will be erased: only for data that is erased with them.
    #[serde(skip)]
    pub doomed: bool,
}

impl MemoryFilter {
    /// Limits the filter to records valid now, unless it requests another or any time; with `known_as_of`, to what held
    /// then. Lists and recall use this.
    #[must_use]
    pub fn holding(self, now: Timestamp) -> Self {
        let valid_at = self.valid_at.or((!self.any_time).then_some(self.known_as_of.unwrap_or(now)));
        Self { valid_at, ..self }
    }

    /// The states that pass: those named, or only active.
    pub fn effective_states(&self) -> &[MemoryState] {
        if self.states.is_empty() { &[MemoryState::Active] } else { &self.states }
    }

    /// Reports whether a memory that was read without this filter passes it, with the same result as in the vault.
    pub fn passes(&self, memory: &Memory) -> bool {
        let MemoryFilter {
            tiers,
            tags_any,
            tags_all,
            own_tags,
            created_after,
            created_before,
            occurred_after,
            occurred_before,
            sensitivity,
            sources,
            scopes,
            session_id,
            states: _,
            stale,
            doomed: _,
            speakers,
            namespaces,
            withheld,
            kinds,
            layers,
            subjects,
            min_confidence,
            below_confidence,
            min_importance,
            valid_at,
            known_as_of,
            authors,
            any_time: _,
            name_prefix,
        } = self;
        let draft = &memory.draft;
        let has = |tag: &String| draft.metadata.tags.contains(tag) || (!own_tags && memory.auto_tags.contains(tag));
        let occurred_at = memory.occurred_at();
        let (kind, belief) = (draft.kind, &memory.belief);
        let subject = draft.subject.as_deref().unwrap_or("").to_lowercase();
        let speaker = draft.speaker.as_deref().unwrap_or("").to_lowercase();
        any_or_empty(tiers, |tier| *tier == draft.tier)
            && any_or_empty(tags_any, has)
            && tags_all.iter().all(has)
            && created_after.is_none_or(|time| memory.created_at >= time)
            && created_before.is_none_or(|time| memory.created_at < time)
            && occurred_after.is_none_or(|time| occurred_at >= time)
            && occurred_before.is_none_or(|time| occurred_at < time)
            && sensitivity.lets(draft.metadata.sensitive)
            && any_or_empty(sources, |source| *source == draft.metadata.source)
            && any_or_empty(scopes, |scope| *scope == draft.metadata.scope)
            && session_id.as_ref().is_none_or(|id| draft.session_id.as_ref() == Some(id))
            && self.effective_states().contains(&memory.state)
            && any_or_empty(namespaces, |name| *name == draft.namespace)
            && (*withheld || !memory.withheld)
            && (!stale || belief.stale_since.is_some())
            && any_or_empty(speakers, |name| name.to_lowercase() == speaker)
            && any_or_empty(kinds, |one| *one == kind)
            && any_or_empty(layers, |layer| *layer == kind.layer())
            && any_or_empty(subjects, |name| name.trim().to_lowercase() == subject)
            && belief.confidence >= *min_confidence
            && (*below_confidence <= 0.0 || belief.confidence < *below_confidence)
            && draft.importance >= *min_importance
            && valid_at.is_none_or(|at| memory.holds_at(at))
            && known_as_of.is_none_or(|at| memory.created_at <= at)
            && any_or_empty(authors, |name| *name == belief.author)
            && name_prefix.as_ref().is_none_or(|prefix| {
                !draft.metadata.sensitive && draft.name.as_ref().is_some_and(|name| name.starts_with(prefix))
            })
    }

    /// Checks every bound; paths start with `filter.`.
    pub fn check(&self) -> Result<()> {
        let mut violations = Vec::new();
        for (name, tags) in [("tags_any", &self.tags_any), ("tags_all", &self.tags_all)] {
            check_labels(&format!("filter.{name}"), tags, bounds::MAX_TAGS, bounds::MAX_TAG_BYTES, &mut violations);
        }
        check_labels(
            "filter.speakers",
            &self.speakers,
            bounds::MAX_FILTER_SPEAKERS,
            bounds::MAX_SPEAKER_BYTES,
            &mut violations,
        );
        check_namespaces("filter.namespaces", &self.namespaces, bounds::MAX_FILTER_NAMESPACES, &mut violations);
        if let Some(problem) = self.session_id.as_deref().and_then(|s| label_problem(s, bounds::MAX_SESSION_ID_BYTES)) {
            violations.push(FieldViolation::new("filter.session_id", problem));
        }
        for (name, after, before) in [
            ("created", self.created_after, self.created_before),
            ("occurred", self.occurred_after, self.occurred_before),
        ] {
            if let (Some(after), Some(before)) = (after, before)
                && after >= before
            {
                violations.push(FieldViolation::new(
                    format!("filter.{name}_after"),
                    format!("is not before filter.{name}_before, so that nothing can match; swap them"),
                ));
            }
        }
        self.check_belief(&mut violations);
        if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
    }
}

impl MemoryFilter {
    /// Checks the conditions on confidence, importance and related fields.
    fn check_belief(&self, violations: &mut Vec<FieldViolation>) {
        let lists = [
            ("subjects", &self.subjects, bounds::MAX_FILTER_SUBJECTS, bounds::MAX_SUBJECT_BYTES),
            ("authors", &self.authors, bounds::MAX_FILTER_AUTHORS, bounds::MAX_AUTHOR_BYTES),
        ];
        for (name, labels, most, longest) in lists {
            check_labels(&format!("filter.{name}"), labels, most, longest, violations);
        }
        for (name, share) in [("min_confidence", self.min_confidence), ("below_confidence", self.below_confidence)] {
            if !(0.0..=1.0).contains(&share) {
                let problem = format!("is {share}; 0 to 1 is allowed");
                violations.push(FieldViolation::new(format!("filter.{name}"), problem));
            }
        }
        if self.below_confidence > 0.0 && self.min_confidence >= self.below_confidence {
            let problem = "is not below filter.below_confidence, so that nothing can match; change one of both";
            violations.push(FieldViolation::new("filter.min_confidence", problem));
        }
        if let Some(problem) = self.name_prefix.as_deref().and_then(|text| label_problem(text, bounds::MAX_NAME_BYTES))
        {
            violations.push(FieldViolation::new("filter.name_prefix", problem));
        }
        if !(0..=bounds::MAX_IMPORTANCE).contains(&self.min_importance) {
            let problem = format!("is {}; 0 to {} is allowed", self.min_importance, bounds::MAX_IMPORTANCE);
            violations.push(FieldViolation::new("filter.min_importance", problem));
        }
    }
}

fn any_or_empty<T>(allowed: &[T], matches: impl Fn(&T) -> bool) -> bool {
    allowed.is_empty() || allowed.iter().any(matches)
}

/// Checks names of namespaces; an empty name is the default namespace.
pub(crate) fn check_namespaces(path: &str, names: &[String], most: usize, violations: &mut Vec<FieldViolation>) {
    if names.len() > most {
        violations.push(FieldViolation::new(path, format!("has {} entries; at most {most} are allowed", names.len())));
    }
    for (index, name) in names.iter().enumerate().take(most).filter(|(_, name)| !name.is_empty()) {
        if let Some(problem) = label_problem(name, bounds::MAX_NAMESPACE_BYTES) {
            violations.push(FieldViolation::new(format!("{path}[{index}]"), problem));
        }
    }
}

fn check_labels(path: &str, labels: &[String], most: usize, longest: usize, violations: &mut Vec<FieldViolation>) {
    if labels.len() > most {
        violations.push(FieldViolation::new(path, format!("has {} entries; at most {most} are allowed", labels.len())));
    }
    for (index, label) in labels.iter().enumerate().take(most) {
        if let Some(problem) = label_problem(label, longest) {
            violations.push(FieldViolation::new(format!("{path}[{index}]"), problem));
        }
    }
}
