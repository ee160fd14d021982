//! Promotions (Kernle): which records of lower layers may become one of a higher layer, and what they would become. Raw
//! records of a session become an episode, episodes with the same lesson a belief, and a belief that has held for long
//! a value.

use std::collections::BTreeSet;

use super::{Review, ReviewChange, ReviewId, ReviewKind};
use crate::bounds::{
    MAX_PAGE_BYTES, MAX_PROMOTED, MIN_PROMOTED_EPISODES, MIN_PROMOTED_RAW, MIN_PROMOTED_SUPPORTS, PROMOTED_AFTER_DAYS,
    PROMOTED_FROM_CONFIDENCE,
};
use crate::compacting::{Spoken, brief, noted, room, summarize};
use crate::extraction::mask;
use crate::memory::{Creator, Detail, DraftLimits, Memory, MemoryDraft, Metadata, RecordKind, SourceType, ValueDetail};
use crate::merging::merged;
use crate::time::{Span, Timestamp};

/// A session without new records for this long is over.
const QUIET: Span = Span::days(1);

/// The grounds of a promotion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Raw records of one session.
    Session,
    /// Episodes with this lesson, in the words of the newest.
    Lesson(String),
    /// A belief that has held for long.
    Held,
}

impl Ground {
    /// Kinds of records that may be promoted.
    pub const KINDS: &'static [RecordKind] = &[RecordKind::Raw, RecordKind::Episode, RecordKind::Belief];
}

impl Review {
    /// Returns the promotion of a session's raw records to an episode, if it is due. The records were not promoted yet,
    /// and come oldest first.
    pub fn session(records: Vec<Memory>, now: Timestamp) -> Option<Self> {
        let quiet_at = records.iter().map(|record| record.created_at).max()?.plus(QUIET);
        let session = records.first()?.draft.session_id.clone()?;
        let records = within(records);
        if records.len() < MIN_PROMOTED_RAW || quiet_at > now {
            return None;
        }
        let reason = format!("{} raw records of session {session}", records.len());
        Self::promotion(records, reason, quiet_at, Ground::Session)
    }

    /// Returns the promotion of episodes with the same lesson to a belief, if it is due. Episodes come oldest first.
    pub fn lesson(episodes: Vec<Memory>, lesson: String) -> Option<Self> {
        let at = episodes.get(MIN_PROMOTED_EPISODES - 1)?.created_at;
        let episodes = within(episodes);
        if episodes.len() < MIN_PROMOTED_EPISODES {
            return None;
        }
        let reason = format!("{} episodes have the same lesson", episodes.len());
        Self::promotion(episodes, reason, at, Ground::Lesson(lesson))
    }

    /// Returns the promotion of a belief derived from `sources` records to a value, if it is due.
    pub fn held(belief: Memory, sources: u64, now: Timestamp) -> Option<Self> {
        let since = belief.draft.valid_from.map_or(belief.created_at, |from| from.max(belief.created_at));
        let (at, confirmed) = (since.plus(Span::days(PROMOTED_AFTER_DAYS)), belief.belief.verification_count);
        let supported = confirmed.saturating_add(sources) >= MIN_PROMOTED_SUPPORTS;
        let certain = belief.belief.confidence >= PROMOTED_FROM_CONFIDENCE;
        if belief.draft.kind != RecordKind::Belief || !supported || !certain || at > now {
            return None;
        }
        let days = now.since(since).0 / Span::days(1).0;
        let count = |number: u64, of: &str| format!("{number} {of}{}", if number == 1 { "" } else { "s" });
        let reasons = [
            Some(format!("held for {days} days")),
            (confirmed > 0).then(|| format!("confirmed {}", count(confirmed, "time"))),
            (sources > 0).then(|| format!("derived from {}", count(sources, "record"))),
        ];
        let reason = reasons.into_iter().flatten().collect::<Vec<_>>().join(", ");
        Self::promotion(vec![belief], reason, at, Ground::Held)
    }

    fn promotion(memories: Vec<Memory>, reason: String, at: Timestamp, ground: Ground) -> Option<Self> {
        let first = memories.first()?.id;
        let second = memories.get(1).map_or(first, |memory| memory.id);
        let id = ReviewId { kind: ReviewKind::Promotion, first, second };
        Some(Self { id, memories, reason, proposes: ReviewChange::Promote, at, ground: Some(ground) })
    }

    /// Returns the record that a promotion or a merge makes; `None` for other kinds.
    pub fn makes(&self, limits: DraftLimits) -> Option<MemoryDraft> {
        if self.id.kind == ReviewKind::Merge {
            return merged(&self.memories, limits);
        }
        let newest = self.memories.last()?;
        let of = &newest.draft;
        let drafts = || self.memories.iter().map(|memory| &memory.draft);
        let draft = MemoryDraft {
            tier: if drafts().all(|draft| draft.tier == of.tier) { of.tier } else { MemoryDraft::default().tier },
            metadata: Metadata {
                tags: shared_tags(&self.memories),
                source: of.metadata.source,
                sensitive: of.metadata.sensitive,
                ..Metadata::default()
            },
            created_by: Creator::System,
            consent: of.consent,
            subject: of.subject.clone().filter(|_| drafts().all(|draft| draft.subject == of.subject)),
            importance: drafts().map(|draft| draft.importance).max().unwrap_or_default(),
            source_type: Some(SourceType::Consolidation),
            ..MemoryDraft::default()
        };
        Some(match self.ground.as_ref()? {
            Ground::Session => MemoryDraft {
                kind: RecordKind::Episode,
                content: in_short(&self.memories, limits),
                session_id: of.session_id.clone(),
                occurred_at: Some(newest.occurred_at()),
                ..draft
            },
            Ground::Lesson(lesson) => MemoryDraft {
                kind: RecordKind::Belief,
                content: lesson.clone(),
                confidence: Some(confidence(self.memories.len())),
                ..draft
            },
            Ground::Held => MemoryDraft {
                kind: RecordKind::Value,
                detail: Some(Detail::Value(ValueDetail::default())),
                content: of.content.clone(),
                ..draft
            },
        })
    }
}

/// Returns the first records, as many as one record may be made from and as fit on a page.
fn within(mut records: Vec<Memory>) -> Vec<Memory> {
    let mut bytes = 0_u64;
    let fits = records.iter().take(MAX_PROMOTED).take_while(|record| {
        bytes = bytes.saturating_add(record.size_bytes);
        bytes <= MAX_PAGE_BYTES as u64
    });
    let fits = fits.count();
    records.truncate(fits);
    records
}

/// Returns the tags that people gave to all records, because a consent may require them.
fn shared_tags(records: &[Memory]) -> Vec<String> {
    let tags = |record: &Memory| record.draft.metadata.tags.iter().cloned().collect::<BTreeSet<_>>();
    let shared = records.iter().map(tags).reduce(|one, other| &one & &other);
    shared.unwrap_or_default().into_iter().collect()
}

/// Summarizes raw records by their most important sentences; if there are none, by the beginning of all texts.
fn in_short(records: &[Memory], limits: DraftLimits) -> String {
    let said: Vec<Spoken<'_>> = records.iter().map(noted).collect();
    let text = summarize(&said, room(&said).min(limits.max_content_bytes / 2));
    if !text.is_empty() {
        return text;
    }
    let all: Vec<&str> = records.iter().map(|record| record.draft.content.as_str()).collect();
    brief(&mask(&all.join("\n")))
}

/// Returns the confidence in a belief supported by this many episodes: the rule of succession, as none contradicts it.
fn confidence(episodes: usize) -> f64 {
    let episodes = f64::from(u32::try_from(episodes).unwrap_or(u32::MAX));
    (episodes + 1.0) / (episodes + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::EpisodeDetail;

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

    fn record(number: u64, kind: RecordKind, content: &str, days_ago: i64) -> Memory {
        let session_id = Some("trip".to_owned());
        let draft = MemoryDraft { kind, content: content.to_owned(), session_id, ..MemoryDraft::default() };
        let id = MemoryId(uuid::Uuid::from_u128(u128::from(number)));
        Memory::new(id, Seq(i64::try_from(number).unwrap()), draft, NOON.minus(Span::days(days_ago)))
    }

    fn raw(count: u64, days_ago: i64) -> Vec<Memory> {
        let text = |number: u64| format!("We reached the village of number {number} on foot in the rain");
        (1..=count).map(|number| record(number, RecordKind::Raw, &text(number), days_ago)).collect()
    }

    fn belief(days: i64, verified: u64) -> Memory {
        let mut belief = record(1, RecordKind::Belief, "Small releases break less", days);
        belief.belief.verification_count = verified;
        belief
    }

    #[test]
    fn three_raw_records_of_a_session_wait_a_day_after_the_last_one() {
        assert!(Review::session(raw(2, 1), NOON).is_none());
        assert!(Review::session(raw(3, 1), NOON.minus(Span(1))).is_none());
        let review = Review::session(raw(3, 1), NOON).expect("it waits");
        assert_eq!((review.reason.as_str(), review.at), ("3 raw records of session trip", NOON));
        assert_eq!((review.id.first, review.id.second), (review.memories[0].id, review.memories[1].id));
        let mut loose = raw(3, 1);
        loose[0].draft.session_id = None;
        assert!(Review::session(loose, NOON).is_none());
        let mut going_on = raw(101, 2);
        going_on[100].created_at = NOON;
        assert!(Review::session(going_on, NOON).is_none(), "also of those that are too many for one episode");
        assert_eq!(Review::session(raw(101, 2), NOON).expect("it waits").memories.len(), MAX_PROMOTED);
    }

    #[test]
    fn an_item_holds_no_more_than_a_page() {
        let sized = |bytes: u64| {
            let mut records = raw(4, 2);
            for record in &mut records {
                record.size_bytes = bytes;
            }
            Review::session(records, NOON).map(|review| review.memories.len())
        };
        let page = MAX_PAGE_BYTES as u64;
        assert_eq!((sized(page / 4), sized(page / 3), sized(page / 3 + 1)), (Some(4), Some(3), None));
    }

    #[test]
    fn an_episode_says_in_short_what_raw_records_said_and_inherits_what_they_share() {
        let mut records = raw(9, 2);
        for (index, record) in records.iter_mut().enumerate() {
            record.draft.metadata.tags = vec!["walk".to_owned(), format!("day {index}")];
            record.draft.importance = 3;
        }
        records[2].draft.speaker = Some("Ana".to_owned());
        records[2].draft.content = "We decided to meet Bruno in Sagres on Friday at nine".to_owned();
        let made = Review::session(records, NOON).and_then(|review| review.makes(DraftLimits::default())).unwrap();
        assert_eq!((made.kind, made.detail, made.session_id.as_deref()), (RecordKind::Episode, None, Some("trip")));
        assert_eq!((made.metadata.tags, made.importance), (vec!["walk".to_owned()], 3));
        assert!(made.content.contains("Ana: We decided to meet Bruno"), "{}", made.content);
        assert!(made.content.lines().all(|line| !line.starts_with(':')), "{}", made.content);
        let short = |text: &str| (1..=3).map(|number| record(number, RecordKind::Raw, text, 2)).collect();
        let made = |text: &str| Review::session(short(text), NOON).unwrap().makes(DraftLimits::default()).unwrap();
        assert_eq!(made("slow").content, "slow\nslow\nslow");
        let key = "sk-proj-Qb7Vw2Zk9Xc4Rt8Lm1Np5Hs3Jd6Gf0Ty";
        assert!(!made(key).content.contains(key), "{}", made(key).content);
    }

    #[test]
    fn two_episodes_that_taught_the_same_make_a_belief_that_each_makes_more_certain() {
        let lesson = || "Small releases break less".to_owned();
        let episodes = |count: u64| {
            let detail = EpisodeDetail { lessons: vec![lesson()], ..EpisodeDetail::default() };
            let of = |number| {
                let mut episode = record(number, RecordKind::Episode, "We released", 1);
                episode.draft.detail = Some(Detail::Episode(detail.clone()));
                episode
            };
            (1..=count).map(of).collect::<Vec<_>>()
        };
        assert!(Review::lesson(episodes(1), lesson()).is_none());
        let review = Review::lesson(episodes(2), lesson()).expect("it waits");
        assert_eq!(review.reason, "2 episodes have the same lesson");
        let made = review.makes(DraftLimits::default()).unwrap();
        assert_eq!((made.kind, made.content), (RecordKind::Belief, lesson()));
        let certain = |count| Review::lesson(episodes(count), lesson()).unwrap().makes(DraftLimits::default());
        let certain = [2, 3, 8].map(|count| certain(count).and_then(|draft| draft.confidence).unwrap_or_default());
        assert_eq!(certain.map(f64::to_bits), [0.75, 0.8, 0.9].map(f64::to_bits));
    }

    #[test]
    fn a_belief_that_has_long_held_with_support_makes_a_value() {
        let waits = |belief: Memory, sources: u64| Review::held(belief, sources, NOON).map(|review| review.reason);
        assert_eq!(waits(belief(120, 4), 0).as_deref(), Some("held for 120 days, confirmed 4 times"));
        assert_eq!(
            waits(belief(90, 1), 2).as_deref(),
            Some("held for 90 days, confirmed 1 time, derived from 2 records")
        );
        assert_eq!(waits(belief(90, 0), 3).as_deref(), Some("held for 90 days, derived from 3 records"));
        assert_eq!((waits(belief(89, 4), 0), waits(belief(90, 2), 0), waits(belief(90, 1), 1)), (None, None, None));
        let of = |confidence: f64| {
            let mut belief = belief(90, 3);
            belief.belief.confidence = confidence;
            waits(belief, 0)
        };
        assert!(of(0.8).is_some() && of(0.799).is_none());
        let mut later = belief(900, 3);
        later.draft.valid_from = Some(NOON.minus(Span::days(89)));
        assert_eq!(waits(later, 0), None, "it has held for 89 days");
        let fact = Memory { draft: MemoryDraft { kind: RecordKind::Fact, ..belief(90, 3).draft }, ..belief(90, 3) };
        assert_eq!(waits(fact, 0), None);
        let made =
            Review::held(belief(90, 3), 0, NOON).and_then(|review| review.makes(DraftLimits::default())).unwrap();
        assert_eq!((made.kind, made.content.as_str()), (RecordKind::Value, "Small releases break less"));
        assert_eq!(made.detail, Some(Detail::Value(ValueDetail { priority: 0 })));
    }
}
