//! Makes the record that several become.

use std::collections::BTreeSet;

use super::checker::holds_details;
use super::tokens::Text;
use super::union::union;
use crate::bounds::{MAX_CHANNELS, MAX_TAGS};
use crate::memory::{Creator, Detail, DraftLimits, EmbedMark, Memory, MemoryDraft, Metadata, SourceType};

/// The error that one record cannot hold everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lost;

/// Returns the record that the sources become, the oldest first; `None` if it would lose something.
pub fn merged(sources: &[Memory], limits: DraftLimits) -> Option<MemoryDraft> {
    let newest = sources.iter().max_by_key(|source| (source.occurred_at(), source.seq))?;
    merge(sources, newest, limits).ok()
}

fn merge(sources: &[Memory], newest: &Memory, limits: DraftLimits) -> Result<MemoryDraft, Lost> {
    let drafts: Vec<&MemoryDraft> = sources.iter().map(|source| &source.draft).collect();
    let texts: Vec<&str> = drafts.iter().map(|draft| draft.content.trim()).collect();
    let content = union(&texts);
    let tags = all(drafts.iter().flat_map(|draft| &draft.metadata.tags));
    let channels = all(drafts.iter().flat_map(|draft| &draft.metadata.channels));
    let attributes = one_of(drafts.iter().map(|draft| draft.attributes.as_ref()))?;
    let source_ref = one_of(drafts.iter().map(|draft| draft.source_ref.as_ref()))?;
    let feedback = one_of(drafts.iter().map(|draft| draft.metadata.user_feedback.as_ref()))?;
    let fits = content.len() <= limits.max_content_bytes && tags.len() <= MAX_TAGS && channels.len() <= MAX_CHANNELS;
    if !fits || !holds_details(&content, &texts) {
        return Err(Lost);
    }
    let detail = detail(&drafts, &content)?;
    let of = &newest.draft;
    Ok(MemoryDraft {
        tier: of.tier,
        metadata: Metadata {
            tags,
            channels,
            source: of.metadata.source,
            sensitive: of.metadata.sensitive,
            scope: of.metadata.scope,
            user_feedback: feedback.copied(),
            version: of.metadata.version.clone(),
        },
        attributes: attributes.cloned(),
        session_id: of.session_id.clone().filter(|_| drafts.iter().all(|draft| draft.session_id == of.session_id)),
        speaker: of.speaker.clone(),
        occurred_at: Some(newest.occurred_at()),
        created_by: Creator::System,
        consent: of.consent,
        namespace: of.namespace.clone(),
        consent_id: of.consent_id,
        embed: embed(drafts.iter().map(|draft| draft.embed)),
        kind: of.kind,
        detail,
        subject: of.subject.clone(),
        importance: drafts.iter().map(|draft| draft.importance).max().unwrap_or_default(),
        confidence: confidence(sources),
        source_type: Some(SourceType::Consolidation),
        valid_from: of.valid_from,
        source_ref: source_ref.cloned(),
        content,
        ..MemoryDraft::default()
    })
}

/// Returns each label once, in order.
fn all<'t>(labels: impl Iterator<Item = &'t String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    labels.filter(|label| seen.insert(*label)).cloned().collect()
}

/// Returns the mark of the merged record: `Never` if one source has it, the mark that all share, or else the default.
fn embed(mut marks: impl Iterator<Item = EmbedMark> + Clone) -> EmbedMark {
    if marks.clone().any(|mark| mark == EmbedMark::Never) {
        return EmbedMark::Never;
    }
    let first = marks.next().unwrap_or_default();
    if marks.all(|mark| mark == first) { first } else { EmbedMark::default() }
}

/// Returns the only value among those given; an error if they differ, as there is room for one only.
fn one_of<'t, T: PartialEq>(values: impl Iterator<Item = Option<&'t T>>) -> Result<Option<&'t T>, Lost> {
    let mut given = values.flatten();
    let first = given.next();
    if given.all(|value| Some(value) == first) { Ok(first) } else { Err(Lost) }
}

/// Returns the most complete detail, if all details are equal or the content states them all.
fn detail(drafts: &[&MemoryDraft], content: &str) -> Result<Option<Detail>, Lost> {
    let said = Text::of(content).content;
    let details: Vec<&Detail> = drafts.iter().filter_map(|draft| draft.detail.as_ref()).collect();
    let first = details.iter().max_by_key(|detail| detail.to_json().len()).copied();
    let is_said = |detail: &Detail| match detail {
        Detail::Fact(fact) => Text::of(&fact.object).content.is_subset(&said),
        _ => false,
    };
    let equal = details.iter().all(|detail| Some(*detail) == first);
    if equal || details.iter().all(|detail| is_said(detail)) { Ok(first.cloned()) } else { Err(Lost) }
}

/// Returns the confidence of the most certain source, scaled so that the merged record is believed as much.
fn confidence(sources: &[Memory]) -> Option<f64> {
    let most = sources.iter().map(|source| source.belief.confidence).reduce(f64::max);
    most.map(|most| (most / SourceType::Consolidation.weight()).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::{FactDetail, RecordKind};
    use crate::time::Timestamp;

    fn record(number: i64, draft: MemoryDraft) -> Memory {
        Memory::new(MemoryId(uuid::Uuid::nil()), Seq(number), draft, Timestamp(number))
    }

    fn drafts() -> [MemoryDraft; 2] {
        let of = |content: &str, tags: &[&str], importance| MemoryDraft {
            content: content.to_owned(),
            metadata: Metadata { tags: tags.iter().map(|&tag| tag.to_owned()).collect(), ..Metadata::default() },
            importance,
            ..MemoryDraft::default()
        };
        [
            of("Ana plays the cello in Basel", &["music", "ana"], 7),
            of("Ana plays cello in Basel on Tuesdays", &["ana", "week"], 3),
        ]
    }

    fn made(drafts: [MemoryDraft; 2]) -> Option<MemoryDraft> {
        let [one, other] = drafts;
        merged(&[record(1, one), record(2, other)], DraftLimits::default())
    }

    #[test]
    fn one_has_all_tags_the_highest_importance_and_what_all_share() {
        let made = made(drafts()).expect("nothing is lost");
        assert_eq!(made.content, "Ana plays cello in Basel on Tuesdays");
        assert_eq!(made.metadata.tags, ["music", "ana", "week"]);
        assert_eq!((made.importance, made.source_type), (7, Some(SourceType::Consolidation)));
        assert_eq!(made.occurred_at, Some(Timestamp(2)));
    }

    #[test]
    fn a_merge_is_not_embedded_if_one_source_forbids_it() {
        let with = |marks: [EmbedMark; 2]| {
            let mut drafts = drafts();
            drafts.iter_mut().zip(marks).for_each(|(draft, mark)| draft.embed = mark);
            made(drafts).map(|made| made.embed)
        };
        assert_eq!(with([EmbedMark::Never, EmbedMark::Auto]), Some(EmbedMark::Never));
        assert_eq!(with([EmbedMark::Always, EmbedMark::Never]), Some(EmbedMark::Never));
        assert_eq!(with([EmbedMark::Always, EmbedMark::Auto]), Some(EmbedMark::Auto));
        assert_eq!(with([EmbedMark::Always; 2]), Some(EmbedMark::Always));
    }

    #[test]
    fn nothing_is_made_where_something_would_be_lost() {
        let with = |change: fn(&mut MemoryDraft, usize)| {
            let mut drafts = drafts();
            drafts.iter_mut().enumerate().for_each(|(at, draft)| change(draft, at));
            made(drafts)
        };
        assert!(with(|draft, at| draft.attributes = Some(format!("{{\"page\":{at}}}"))).is_none());
        assert!(with(|draft, _| draft.attributes = Some("{}".to_owned())).is_some());
        assert!(with(|draft, at| draft.source_ref = Some(format!("note {at}"))).is_none());
        assert!(with(|draft, at| draft.metadata.tags = (0..40).map(|tag| format!("{at} {tag}")).collect()).is_none());
    }

    #[test]
    fn a_fact_retains_the_most_complete_detail_if_its_text_says_all() {
        let fact = |object: &str| {
            let detail =
                FactDetail { subject: "Ana".to_owned(), predicate: "plays".to_owned(), object: object.to_owned() };
            Some(Detail::Fact(detail))
        };
        let with = |objects: [&str; 2]| {
            let mut drafts = drafts();
            for (draft, object) in drafts.iter_mut().zip(objects) {
                (draft.kind, draft.detail) = (RecordKind::Fact, fact(object));
            }
            made(drafts)
        };
        assert_eq!(with(["cello", "cello in Basel"]).and_then(|made| made.detail), fact("cello in Basel"));
        assert!(with(["cello", "the violin, in Basel"]).is_none());
    }
}
