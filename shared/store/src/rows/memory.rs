//! The row of a memory.

use std::collections::HashMap;

use kimberly_core::error::Result;
use kimberly_core::ids::{ConsentId, MemoryId, Seq};
use kimberly_core::memory::{EmbedMark, Feedback, Memory, MemoryDraft, Metadata};
use kimberly_core::text::TextTraits;

use super::{ReadRow, Texts, WriteRow};
use crate::codes::{code, from_code, unsigned};
use crate::corrupt;
use crate::sealed::{Field, Seals};

/// What [`memory_from`] reads, of memories `m` with their session `s`, speaker `p`, namespace `n` and consent `o`.
pub(crate) const MEMORY_COLUMNS: &str = "m.seq, m.id, m.tier, m.state, m.content, m.size_bytes, m.tags, m.channels, \
     m.feedback, m.version, m.source, m.scope, m.sensitive, m.attributes, s.id, m.protected, \
     coalesce(m.speaker_name, p.name), m.occurred_at, m.created_by, m.consent, m.score, m.sentiment, m.traits, \
     m.words, m.created_at, m.updated_at, m.last_seen_at, m.access_count, m.revision, m.schema_version, \
     m.archived_at, m.delete_after, n.name, o.id, m.withheld > 0, m.embed, m.sealed_content, \
     m.sealed_attributes, m.sealed_channels";
/// Columns that [`push_memory_values`] fills.
pub(crate) const DRAFT_COLUMNS: &str = "tier, occurred_at, traits, words, size_bytes, protected, sensitive, source, \
     scope, created_by, consent, sentiment, feedback, tags, channels, version, content, attributes, sealed_content, \
     sealed_attributes, sealed_channels, embed";

const THUMBS_UP: i64 = 1_000;
const THUMBS_DOWN: i64 = 1_001;
const DEFAULT_VERSION: &str = "v1";

/// A memory from [`MEMORY_COLUMNS`].
pub(crate) fn memory_from<'r>(c: &mut impl ReadRow<'r>, seals: Option<&Seals>) -> Result<Memory> {
    let (seq, id) = (Seq(c.int()?), MemoryId(c.uuid()?));
    let (tier, state) = (from_code(c.int()?)?, from_code(c.int()?)?);
    let (content, size_bytes) = (c.text()?, c.count()?);
    let metadata = Metadata {
        tags: c.tags()?,
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
        embed: EmbedMark::Auto,
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
        schema_version: i32::try_from(c.int()?).map_err(|_| corrupt("a schema version is out of range"))?,
        archived_at: c.opt_time()?,
        delete_after: c.opt_time()?,
        withheld: false,
    };
    memory.draft.namespace = c.opt_text()?.unwrap_or_default();
    memory.draft.consent_id = c.opt_uuid()?.map(ConsentId);
    memory.withheld = c.flag()?;
    memory.draft.embed = from_code(c.int()?)?;
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
    let seals = seals.ok_or_else(|| corrupt("a memory is sealed where nothing is ever sealed"))?;
    seals.open(id, field, sealed)
}

/// Traits from their two columns.
pub(crate) fn traits(bits: i64, words: i64) -> TextTraits {
    TextTraits::from_bits(u8::try_from(bits & 0xff).unwrap_or_default(), u32::try_from(words).unwrap_or(u32::MAX))
}

/// Adds what a draft and its analysis store, in the order of [`DRAFT_COLUMNS`].
pub(crate) fn push_memory_values(
    args: &mut impl WriteRow,
    (draft, texts): (&MemoryDraft, Texts),
    traits: TextTraits,
    sentiment: f64,
    size: u64,
) {
    let meta = &draft.metadata;
    args.put_int(code(draft.tier));
    args.put_opt_int(draft.occurred_at.map(|at| at.0));
    args.put_int(i64::from(traits.bits()));
    args.put_int(i64::from(traits.words));
    args.put_int(unsigned(size));
    args.put_flag(draft.protected);
    args.put_flag(meta.sensitive);
    args.put_int(code(meta.source));
    args.put_int(code(meta.scope));
    args.put_int(code(draft.created_by));
    args.put_flag(draft.consent);
    args.put_real(sentiment);
    args.put_opt_int(meta.user_feedback.map(feedback_code));
    args.put_tags(&meta.tags);
    let Texts { plain: (content, attributes, channels), sealed } = texts;
    args.put_opt_text(channels);
    args.put_opt_text((meta.version != DEFAULT_VERSION).then(|| meta.version.clone()));
    args.put_text(content);
    args.put_opt_text(attributes);
    for sealed in sealed {
        args.put_opt_bytes(sealed);
    }
    args.put_int(code(draft.embed));
}

/// Memories in the order that their numbers are asked for; what is not there is left out.
pub(crate) fn in_order(seqs: &[Seq], found: Vec<Memory>) -> Vec<Memory> {
    let mut found: HashMap<Seq, Memory> = found.into_iter().map(|memory| (memory.seq, memory)).collect();
    let mut ordered = Vec::with_capacity(found.len());
    for (index, seq) in seqs.iter().enumerate() {
        // The same number asked for twice is answered twice.
        let again = seqs[index + 1..].contains(seq);
        ordered.extend(if again { found.get(seq).cloned() } else { found.remove(seq) });
    }
    ordered
}

/// A speaker's name as it is compared: without regard to case.
pub(crate) fn folded(speaker: &str) -> String {
    speaker.to_lowercase()
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
        stars => u8::try_from(stars).map(Feedback::Rating).map_err(|_| corrupt(format!("feedback {stars} is unknown"))),
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
        |json| serde_json::from_str(json).map_err(|_| corrupt("tags or channels are not a JSON array of text")),
    )
}
