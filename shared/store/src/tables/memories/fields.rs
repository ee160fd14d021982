//! The columns of a memory, each with its writer and reader.
//!
//! To add a column, add a line: it is then inserted, read, written back, moved between backends and part of both
//! schemas. A text that must be sealed for sensitive memories also needs its line in `texts`, and two lines here.

use kimberly_core::error::Result;
use kimberly_core::ids::{ConsentId, MemoryId, Seq};
use kimberly_core::memory::{Belief, RecordKind};
use kimberly_core::scoring::ScoreRecord;

use super::field::{Field, Value, Written, field, text, unread};
use super::texts::{ATTRIBUTES, CHANNELS, CONTENT, DETAIL, NAME, SOURCE_REF, SUBJECT, TEXTS, set};
use crate::codes::{code, from_code, unsigned};
use crate::corrupt;
use crate::rows::{feedback_code, feedback_from_code, traits};
use crate::tables::{self, bytes, flag, id, int, real, small, tags};

const DEFAULT_VERSION: &str = "v1";

/// A column for a value of a closed set, stored as its code.
macro_rules! coded {
    ($name:literal, $($field:ident).+) => {
        field(small($name), |c, s| c.put_int(code(s.$($field).+)), |c, r| {
            set(&mut r.$($field).+, c.int().and_then(from_code))
        })
    };
}

/// A column for a time that may be missing.
macro_rules! time_or_null {
    ($name:literal, $($field:ident).+) => {
        field(int($name).or_null(), |c, s| c.put_opt_int(s.$($field).+.map(|at| at.0)), |c, r| {
            set(&mut r.$($field).+, c.opt_time())
        })
    };
}

/// All columns in the order of the file's rows: first what searches read, then long values.
pub(super) const FIELDS: &[Field] = &[
    field(int("seq"), |c, s| c.put_int(s.seq.0), |c, r| set(&mut r.memory.seq, c.int().map(Seq)))
        .written(Written::Once),
    coded!("tier", memory.draft.tier),
    coded!("state", memory.state),
    field(
        int("session").or_null(),
        |c, s| c.put_opt_int(s.refs.spot.map(|spot| spot.session)),
        |c, r| set(&mut r.memory.draft.session_id, c.opt_text()),
    )
    .selects("s.id"),
    unread(int("position").or_null(), |c, s| c.put_opt_int(s.refs.spot.map(|spot| spot.position))),
    unread(int("speaker").or_null(), |c, s| c.put_opt_int(s.refs.speaker)),
    time_or_null!("occurred_at", memory.draft.occurred_at),
    field(int("created_at"), |c, s| c.put_int(s.memory.created_at.0), |c, r| set(&mut r.memory.created_at, c.time())),
    field(
        small("traits"),
        |c, s| c.put_int(i64::from(s.memory.traits.bits())),
        |c, r| set(&mut r.memory.traits, c.int().map(|bits| traits(bits, 0))),
    ),
    field(
        int("words"),
        |c, s| c.put_int(i64::from(s.memory.traits.words)),
        |c, r| {
            let words = c.int()?;
            let bits = i64::from(r.memory.traits.bits());
            set(&mut r.memory.traits, Ok(traits(bits, words)))
        },
    ),
    field(real("score"), |c, s| c.put_real(s.memory.score), |c, r| set(&mut r.memory.score, c.real())),
    field(
        int("size_bytes"),
        |c, s| c.put_int(unsigned(s.memory.size_bytes)),
        |c, r| set(&mut r.memory.size_bytes, c.count()),
    ),
    field(
        flag("protected"),
        |c, s| c.put_flag(s.memory.draft.protected),
        |c, r| set(&mut r.memory.draft.protected, c.flag()),
    ),
    field(
        flag("sensitive"),
        |c, s| c.put_flag(s.memory.draft.metadata.sensitive),
        |c, r| set(&mut r.memory.draft.metadata.sensitive, c.flag()),
    ),
    // 0 for the default namespace, which has no name.
    field(
        int("namespace"),
        |c, s| c.put_int(s.refs.namespace),
        |c, r| set(&mut r.memory.draft.namespace, c.opt_text().map(Option::unwrap_or_default)),
    )
    .selects("n.name"),
    // 2 means about to be erased.
    field(
        small("withheld"),
        |c, s| c.put_int(i64::from(s.memory.withheld)),
        |c, r| set(&mut r.memory.withheld, c.flag()),
    )
    .selects("m.withheld > 0")
    .written(Written::Once),
    field(
        int("consent_no").or_null(),
        |c, s| c.put_opt_int(s.refs.consent),
        |c, r| set(&mut r.memory.draft.consent_id, c.opt_uuid().map(|id| id.map(ConsentId))),
    )
    .selects("o.id"),
    coded!("embed", memory.draft.embed),
    coded!("source", memory.draft.metadata.source),
    coded!("scope", memory.draft.metadata.scope),
    coded!("created_by", memory.draft.created_by),
    field(
        flag("consent"),
        |c, s| c.put_flag(s.memory.draft.consent),
        |c, r| set(&mut r.memory.draft.consent, c.flag()),
    ),
    // NULL for none.
    field(
        small("kind").or_null(),
        |c, s| c.put_opt_int(Some(s.memory.draft.kind).filter(|kind| *kind != RecordKind::Unset).map(code)),
        |c, r| {
            let kind = c.opt_int()?;
            set(&mut r.memory.draft.kind, kind.map_or(Ok(RecordKind::Unset), from_code))
        },
    ),
    field(
        small("importance"),
        |c, s| c.put_int(s.memory.draft.importance.into()),
        |c, r| set(&mut r.memory.draft.importance, c.int().and_then(importance)),
    ),
    field(
        real("confidence"),
        |c, s| c.put_real(s.memory.belief.confidence),
        |c, r| set(&mut r.memory.belief.confidence, c.real()),
    ),
    // NULL if it follows from created_by.
    field(
        small("source_type").or_null(),
        |c, s| c.put_opt_int(s.memory.draft.source_type.map(code)),
        |c, r| {
            let said = c.opt_int()?;
            set(&mut r.memory.draft.source_type, said.map(from_code).transpose())
        },
    ),
    time_or_null!("valid_from", memory.draft.valid_from),
    time_or_null!("valid_to", memory.draft.valid_to),
    time_or_null!("last_verified_at", memory.belief.last_verified_at),
    field(
        int("verification_count"),
        |c, s| c.put_int(unsigned(s.memory.belief.verification_count)),
        |c, r| set(&mut r.memory.belief.verification_count, c.count()),
    ),
    time_or_null!("stale_since", memory.belief.stale_since),
    // -1: the next meditation scores what was written, whatever goals the present score is for.
    unread(int("epoch"), |c, _| c.put_int(-1)),
    field(
        small("life"),
        |c, s| c.put_int(s.life),
        |c, r| {
            let bits = c.int()?;
            r.was_archived = bits & 1 != 0;
            set(&mut r.was_deleted, Ok(bits & 2 != 0))
        },
    )
    .written(Written::Bits)
    .of_records(),
    field(real("sentiment"), |c, s| c.put_real(s.memory.sentiment), |c, r| set(&mut r.memory.sentiment, c.real())),
    field(int("helpful"), |c, s| c.put_int(unsigned(s.outcomes.0)), |c, r| set(&mut r.helpful, c.count()))
        .written(Written::Once)
        .of_records(),
    field(int("unhelpful"), |c, s| c.put_int(unsigned(s.outcomes.1)), |c, r| set(&mut r.unhelpful, c.count()))
        .written(Written::Once)
        .of_records(),
    field(
        int("feedback").or_null(),
        |c, s| c.put_opt_int(s.memory.draft.metadata.user_feedback.map(feedback_code)),
        |c, r| {
            let code = c.opt_int()?;
            set(&mut r.memory.draft.metadata.user_feedback, code.map(feedback_from_code).transpose())
        },
    ),
    field(int("updated_at"), |c, s| c.put_int(s.memory.updated_at.0), |c, r| set(&mut r.memory.updated_at, c.time())),
    field(
        int("last_seen_at"),
        |c, s| c.put_int(s.memory.last_seen_at.0),
        |c, r| set(&mut r.memory.last_seen_at, c.time()),
    ),
    field(
        int("access_count"),
        |c, s| c.put_int(unsigned(s.memory.access_count)),
        |c, r| set(&mut r.memory.access_count, c.count()),
    ),
    time_or_null!("archived_at", memory.archived_at),
    time_or_null!("delete_after", memory.delete_after),
    field(
        int("revision"),
        |c, s| c.put_int(unsigned(s.memory.revision)),
        |c, r| set(&mut r.memory.revision, c.count()),
    ),
    field(
        int("schema_version"),
        |c, s| c.put_int(i64::from(s.memory.schema_version)),
        |c, r| set(&mut r.memory.schema_version, c.int().and_then(schema_version)),
    ),
    field(id("id"), |c, s| c.put_uuid(s.memory.id.0), |c, r| set(&mut r.memory.id, c.uuid().map(MemoryId)))
        .written(Written::Once),
    field(
        tags("tags"),
        |c, s| c.put_tags(&s.memory.draft.metadata.tags),
        |c, r| set(&mut r.memory.draft.metadata.tags, c.tags()),
    ),
    text(tables::text("channels").or_null(), Value::Plain(CHANNELS)),
    field(
        tables::text("version").or_null(),
        |c, s| c.put_opt_text(Some(&s.memory.draft.metadata.version).filter(|v| *v != DEFAULT_VERSION).cloned()),
        |c, r| {
            let version = c.opt_text()?;
            set(&mut r.memory.draft.metadata.version, Ok(version.unwrap_or_else(|| DEFAULT_VERSION.to_owned())))
        },
    ),
    // NULL if it is spelled like the speaker's first record.
    field(
        tables::text("speaker_name").or_null(),
        |c, s| c.put_opt_text(s.refs.speaker_name.clone()),
        |c, r| set(&mut r.memory.draft.speaker, c.opt_text()),
    )
    .selects("coalesce(m.speaker_name, p.name)"),
    field(
        tables::text("author").or_null(),
        |c, s| c.put_opt_text(Some(&s.memory.belief.author).filter(|author| !author.is_empty()).cloned()),
        |c, r| {
            let author = c.opt_text()?;
            set(&mut r.memory.belief.author, Ok(author.unwrap_or_default()))
        },
    ),
    field(
        tables::text("confidence_history").or_null(),
        |c, s| c.put_opt_text(s.memory.belief.compact_history()),
        |c, r| {
            let compact = c.opt_str()?;
            set(&mut r.memory.belief.history, Belief::history_from(compact))
        },
    ),
    // The key by which filters find the subject, plain or sealed.
    text(bytes("subject_key").or_null(), Value::Key(SUBJECT)).unread(),
    text(tables::text("subject").or_null(), Value::Plain(SUBJECT)),
    // The key by which a name is found and unique, plain or sealed.
    text(bytes("name_key").or_null(), Value::Name(NAME)).unread(),
    text(tables::text("name").or_null(), Value::Plain(NAME)),
    text(tables::text("content"), Value::Plain(CONTENT)),
    text(tables::text("texts").or_null(), Value::Plain(TEXTS)).unread(),
    text(tables::text("detail").or_null(), Value::Plain(DETAIL)),
    text(tables::text("source_ref").or_null(), Value::Plain(SOURCE_REF)),
    text(tables::text("attributes").or_null(), Value::Plain(ATTRIBUTES)),
    field(
        tables::text("score_record").or_null(),
        |c, s| c.put_opt_text(s.score.map(ScoreRecord::to_compact)),
        |c, r| {
            let compact = c.opt_str()?;
            set(&mut r.score, compact.map(ScoreRecord::from_compact).transpose())
        },
    )
    .written(Written::UnlessNull)
    .of_records(),
    text(bytes("sealed_content").or_null(), Value::Sealed(CONTENT)),
    text(bytes("sealed_attributes").or_null(), Value::Sealed(ATTRIBUTES)),
    text(bytes("sealed_channels").or_null(), Value::Sealed(CHANNELS)),
    text(bytes("sealed_subject").or_null(), Value::Sealed(SUBJECT)),
    text(bytes("sealed_texts").or_null(), Value::Sealed(TEXTS)).unread(),
    text(bytes("sealed_detail").or_null(), Value::Sealed(DETAIL)),
    text(bytes("sealed_source_ref").or_null(), Value::Sealed(SOURCE_REF)),
    text(bytes("sealed_name").or_null(), Value::Sealed(NAME)),
];

fn importance(number: i64) -> Result<i32> {
    i32::try_from(number).map_err(|_| corrupt("an importance is out of range"))
}

fn schema_version(number: i64) -> Result<i32> {
    i32::try_from(number).map_err(|_| corrupt("a schema version is out of range"))
}
