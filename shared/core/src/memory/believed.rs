//! Draft fields about the kind, source and confidence of a memory, and their bounds.

use std::borrow::Cow;

use super::label::normalized_name;
use super::{Creator, MemoryDraft, RecordKind, SourceType};
use crate::bounds;
use crate::error::{Error, FieldViolation, Result};
use crate::text::sentiment;
use crate::time::Timestamp;

/// Prefix of the source of conclusions from a nightly run; the run's id follows.
pub(crate) const NIGHT: &str = "night/";

impl MemoryDraft {
    /// How the memory became known: as stated, or the default for its creator.
    pub fn source_type(&self) -> SourceType {
        self.source_type.unwrap_or_else(|| SourceType::of(self.created_by))
    }

    /// Reports whether a nightly run concluded it from other records: it depends on them, and is erased and ended with
    /// any of them.
    pub fn is_concluded(&self) -> bool {
        self.was_concluded() && self.source_type == Some(SourceType::Inference)
    }

    /// Reports whether a nightly run concluded it, even if a person has edited it since.
    pub fn was_concluded(&self) -> bool {
        let kind = matches!(self.kind, RecordKind::Insight | RecordKind::Profile);
        let by_a_night = self.source_ref.as_deref().is_some_and(|source| source.starts_with(NIGHT));
        kind && by_a_night && self.created_by == Creator::System
    }

    /// Refuses a draft that claims to be a conclusion of a nightly run: callers cannot create those.
    pub(crate) fn refuse_concluded(&self, path: &str) -> Result<()> {
        if !self.is_concluded() {
            return Ok(());
        }
        let problem = format!("begins with {NIGHT:?}, which marks insights of nights; omit it, or name another source");
        Err(Error::invalid(format!("{path}.source_ref"), problem))
    }

    /// The sentiment used for the emotional weight: that of an episode's detail if given, else that of the words.
    pub fn sentiment(&self) -> f64 {
        self.emotion().unwrap_or_else(|| sentiment::compound(&self.content))
    }

    /// The emotion in the detail, if any.
    pub fn emotion(&self) -> Option<f64> {
        self.detail.as_ref().and_then(super::Detail::emotion)
    }

    /// The texts of the detail, which the full-text index sees in addition to the content.
    pub fn detail_texts(&self) -> Option<String> {
        self.detail.as_ref().and_then(super::Detail::search_text)
    }

    /// The text that the full-text index and models see.
    pub fn search_text(&self) -> Cow<'_, str> {
        let all = self.detail_texts().map(|texts| with_texts(self.content.clone(), Some(texts)));
        all.map_or(Cow::Borrowed(&self.content), Cow::Owned)
    }

    /// Normalizes kind, subject and source, and reports violations of these fields.
    pub(super) fn check_belief(&mut self, path: &str, violations: &mut Vec<FieldViolation>) {
        if let Some(detail) = &mut self.detail {
            detail.check(&format!("{path}.detail"), violations);
        }
        let mut bad =
            |field: &str, problem: String| violations.push(FieldViolation::new(format!("{path}.{field}"), problem));
        if let Some(kind) = self.detail.as_ref().map(super::Detail::kind) {
            if self.kind == RecordKind::Unset {
                self.kind = kind;
            } else if self.kind != kind {
                bad("kind", format!("is {}, but the detail is of {kind}; change or omit one of both", self.kind));
            }
        }
        match normalized_name(self.subject.as_deref(), bounds::MAX_SUBJECT_BYTES) {
            Ok(subject) => self.subject = subject,
            Err(problem) => bad("subject", problem),
        }
        if self.subject.is_none() {
            self.subject = self.detail.as_ref().and_then(|detail| detail.subject().map(str::to_owned));
        }
        match normalized_name(self.source_ref.as_deref(), bounds::MAX_SOURCE_REF_BYTES) {
            Ok(source) => self.source_ref = source,
            Err(problem) => bad("source_ref", problem),
        }
        if !(0..=bounds::MAX_IMPORTANCE).contains(&self.importance) {
            let most = bounds::MAX_IMPORTANCE;
            bad("importance", format!("is {}; 1 to {most} are allowed, or 0 for unset", self.importance));
        }
        if let Some(confidence) = self.confidence.filter(|given| !(0.0..=1.0).contains(given)) {
            bad("confidence", format!("is {confidence}; 0 to 1 is allowed"));
        }
        for (field, at) in [("valid_from", self.valid_from), ("valid_to", self.valid_to)] {
            if at.is_some_and(|at| at < Timestamp::MIN || at > Timestamp::MAX) {
                bad(field, "is outside the years 1 to 9999".to_owned());
            }
        }
        if self.valid_from.zip(self.valid_to).is_some_and(|(from, to)| from >= to) {
            bad("valid_to", "is not after valid_from; change one of both, or omit it".to_owned());
        }
        crate::core_memory::check(self, &mut bad);
        // Normalized as in storage, so that sending it again compares as equal.
        self.source_type = self.source_type.filter(|said| *said != SourceType::of(self.created_by));
    }
}

/// Joins a content with the texts of its detail, as the full-text index sees them.
pub fn with_texts(content: String, texts: Option<String>) -> String {
    match texts {
        Some(texts) => content + "\n" + &texts,
        None => content,
    }
}

/// Copies a detail. Also clears a subject that was derived from the old detail.
pub(super) fn take_detail(to: &mut MemoryDraft, from: &MemoryDraft) {
    if to.detail.as_ref().is_some_and(|detail| detail.subject() == to.subject.as_deref()) {
        to.subject = None;
    }
    to.detail.clone_from(&from.detail);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_a_night_concludes_and_a_correction_of_that_is_a_persons() {
        let concluded = MemoryDraft {
            kind: RecordKind::Insight,
            created_by: Creator::System,
            source_type: Some(SourceType::Inference),
            source_ref: Some(format!("{NIGHT}1")),
            ..MemoryDraft::default()
        };
        assert!(concluded.is_concluded() && concluded.was_concluded());
        let Err(Error::Invalid(refused)) = concluded.refuse_concluded("memory") else { panic!("a caller said so") };
        assert_eq!(refused[0].field, "memory.source_ref");
        let corrected = MemoryDraft { source_type: Some(SourceType::Correction), ..concluded.clone() };
        assert!(!corrected.is_concluded() && corrected.was_concluded());
        let others: [fn(&mut MemoryDraft); 4] = [
            |draft| draft.source_ref = None,
            |draft| draft.source_ref = Some("the night".to_owned()),
            |draft| draft.created_by = Creator::Agent,
            |draft| draft.kind = RecordKind::Fact,
        ];
        for other in others {
            let mut draft = concluded.clone();
            other(&mut draft);
            assert!(!draft.was_concluded() && draft.refuse_concluded("memory").is_ok(), "{draft:?}");
        }
    }
}
