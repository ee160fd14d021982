//! The row of a memory.

use kimberly_core::error::Result;
use kimberly_core::ids::{ConsentId, MemoryId, Seq};
use kimberly_core::memory::{Feedback, Memory, MemoryDraft, Metadata};
use kimberly_core::text::TextTraits;
use sqlx::sqlite::SqliteRow;

use super::{Cells, code, from_code, unsigned};
use crate::sqlite::conn::Args;
use crate::sqlite::errors;
use crate::sqlite::sealed::{Field, Seals};

/// What [`memory`] reads.
pub(crate) const MEMORY_COLUMNS: &str = "m.seq, m.id, m.tier, m.state, m.content, m.size_bytes, m.tags, m.channels, \
     m.feedback, m.version, m.source, m.scope, m.sensitive, m.attributes, s.id, m.protected, \
     coalesce(m.speaker_name, p.name), m.occurred_at, m.created_by, m.consent, m.score, m.sentiment, m.traits, \
     m.words, m.created_at, m.updated_at, m.last_seen_at, m.access_count, m.revision, m.schema_version, \
     m.archived_at, m.delete_after, n.name, o.id, m.withheld, m.sealed_content, m.sealed_attributes, m.sealed_channels";
/// Where [`MEMORY_COLUMNS`] are.
pub(crate) const MEMORY_SOURCE: &str = "memories m LEFT JOIN sessions s ON s.no = m.session \
     LEFT JOIN speakers p ON p.no = m.speaker LEFT JOIN namespaces n ON n.no = m.namespace \
     LEFT JOIN consents o ON o.no = m.consent_no";

const THUMBS_UP: i64 = 1_000;
const THUMBS_DOWN: i64 = 1_001;
const DEFAULT_VERSION: &str = "v1";

/// A memory from [`MEMORY_COLUMNS`].
pub(crate) fn memory(row: &SqliteRow, seals: Option<&Seals>) -> Result<Memory> {
    memory_from(&mut Cells::new(row), seals)
}

/// A memory from [`MEMORY_COLUMNS`] that stand behind others.
pub(crate) fn memory_from(c: &mut Cells<'_>, seals: Option<&Seals>) -> Result<Memory> {
    let (seq, id) = (Seq(c.int()?), MemoryId(c.uuid()?));
    let (tier, state) = (from_code(c.int()?)?, from_code(c.int()?)?);
    let (content, size_bytes) = (c.text()?, c.count()?);
    let metadata = Metadata {
        tags: labels(c.opt_str()?)?,
        channels: labels(c.opt_str()?)?,
        user_feedback: c.opt_int()?.map(feedback_from_code).transpose()?,
        version: c.opt_text()?.unwrap_or_else(|| DEFAULT_VERSION.to_owned()),
        source: from_code(c.int()?)?,
        scope: from_code(c.int()?)?,
        sensitive: c.flag()?,
    };
    let draft = MemoryDraft {
        tier,
        content,
        metadata,
        attributes: c.opt_text()?,
        session_id: c.opt_text()?,
        protected: c.flag()?,
        speaker: c.opt_text()?,
        occurred_at: c.opt_time()?,
        created_by: from_code(c.int()?)?,
        consent: c.flag()?,
        namespace: String::new(),
        consent_id: None,
    };
    let mut memory = Memory {
        id,
        seq,
        draft,
        size_bytes,
        state,
        score: c.real()?,
        sentiment: c.real()?,
        traits: traits(c.int()?, c.int()?),
        created_at: c.time()?,
        updated_at: c.time()?,
        last_seen_at: c.time()?,
        access_count: c.count()?,
        revision: c.count()?,
        schema_version: i32::try_from(c.int()?).map_err(|_| errors::corrupt("a schema version is out of range"))?,
        archived_at: c.opt_time()?,
        delete_after: c.opt_time()?,
        withheld: false,
    };
    memory.draft.namespace = c.opt_text()?.unwrap_or_default();
    memory.draft.consent_id = c.opt_uuid()?.map(ConsentId);
    memory.withheld = c.flag()?;
    if let Some(content) = c.opt_bytes()? {
        memory.draft.content = opened(seals, id, Field::Content, content)?;
        let (attributes, channels) = (c.opt_bytes()?, c.opt_bytes()?);
        memory.draft.attributes = attributes.map(|sealed| opened(seals, id, Field::Attributes, sealed)).transpose()?;
        let channels = channels.map(|sealed| opened(seals, id, Field::Channels, sealed)).transpose()?;
        memory.draft.metadata.channels = labels(channels.as_deref())?;
    }
    Ok(memory)
}

/// A sealed field, opened.
pub(crate) fn opened(seals: Option<&Seals>, id: MemoryId, field: Field, sealed: &[u8]) -> Result<String> {
    let seals = seals.ok_or_else(|| errors::corrupt("a memory is sealed where nothing is ever sealed"))?;
    seals.open(id, field, sealed)
}

/// Traits from their two columns.
pub(crate) fn traits(bits: i64, words: i64) -> TextTraits {
    TextTraits::from_bits(u8::try_from(bits & 0xff).unwrap_or_default(), u32::try_from(words).unwrap_or(u32::MAX))
}

/// What is stored of a draft's text: as it is, or sealed.
pub(crate) struct Texts {
    plain: (String, Option<String>, Option<String>),
    sealed: [Option<Vec<u8>>; 3],
}

impl Texts {
    /// Those of a memory: sealed if it is sensitive and there is encryption.
    pub(crate) fn of(id: MemoryId, draft: &MemoryDraft, seals: Option<&Seals>) -> Result<Self> {
        let plain = (draft.content.clone(), draft.attributes.clone(), labels_json(&draft.metadata.channels));
        match seals.filter(|seals| draft.metadata.sensitive && seals.are_on()) {
            Some(seals) => Self::sealed(id, &plain, seals),
            None => Ok(Self { plain, sealed: [None, None, None] }),
        }
    }

    /// Seals content, attributes and channels.
    pub(crate) fn sealed(
        id: MemoryId,
        (content, attributes, channels): &(String, Option<String>, Option<String>),
        seals: &Seals,
    ) -> Result<Self> {
        let seal = |field, text: Option<&String>| text.map(|text| seals.seal(id, field, text)).transpose();
        let sealed = [
            seal(Field::Content, Some(content))?,
            seal(Field::Attributes, attributes.as_ref())?,
            seal(Field::Channels, channels.as_ref())?,
        ];
        Ok(Self { plain: (String::new(), None, None), sealed })
    }

    /// Adds the three sealed columns.
    pub(crate) fn push_sealed(self, args: &mut Args) {
        for sealed in self.sealed {
            args.push(sealed);
        }
    }
}

/// Adds what a draft and its analysis store, in the order of `DRAFT_COLUMNS` in `tx`.
pub(crate) fn push_memory_values(
    args: &mut Args,
    (draft, texts): (&MemoryDraft, Texts),
    traits: TextTraits,
    sentiment: f64,
    size: u64,
) {
    let meta = &draft.metadata;
    args.push(code(draft.tier));
    args.push(draft.occurred_at.map(|at| at.0));
    args.push(i64::from(traits.bits()));
    args.push(i64::from(traits.words));
    args.push(unsigned(size));
    args.push(i64::from(draft.protected));
    args.push(i64::from(meta.sensitive));
    args.push(code(meta.source));
    args.push(code(meta.scope));
    args.push(code(draft.created_by));
    args.push(i64::from(draft.consent));
    args.push(sentiment);
    args.push(meta.user_feedback.map(feedback_code));
    args.push(labels_json(&meta.tags));
    let Texts { plain: (content, attributes, channels), sealed } = texts;
    args.push(channels);
    args.push((meta.version != DEFAULT_VERSION).then(|| meta.version.clone()));
    args.push(content);
    args.push(attributes);
    for sealed in sealed {
        args.push(sealed);
    }
}

fn feedback_code(feedback: Feedback) -> i64 {
    match feedback {
        Feedback::ThumbsUp => THUMBS_UP,
        Feedback::ThumbsDown => THUMBS_DOWN,
        Feedback::Rating(stars) => i64::from(stars),
    }
}

/// Feedback from its column.
pub(crate) fn feedback_from_code(code: i64) -> Result<Feedback> {
    match code {
        THUMBS_UP => Ok(Feedback::ThumbsUp),
        THUMBS_DOWN => Ok(Feedback::ThumbsDown),
        stars => u8::try_from(stars)
            .map(Feedback::Rating)
            .map_err(|_| errors::corrupt(format!("feedback {stars} is unknown"))),
    }
}

/// Labels as a JSON array; `None` if there are none.
pub(crate) fn labels_json(labels: &[String]) -> Option<String> {
    (!labels.is_empty()).then(|| serde_json::to_string(labels).unwrap_or_default())
}

/// Labels from a JSON array.
pub(crate) fn labels(json: Option<&str>) -> Result<Vec<String>> {
    json.map_or_else(
        || Ok(Vec::new()),
        |json| serde_json::from_str(json).map_err(|_| errors::corrupt("tags or channels are not a JSON array of text")),
    )
}
