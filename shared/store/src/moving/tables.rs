//! What is moved: tables and their columns, which both backends have alike but for a few names.
//!
//! What is derived (full-text index, vectors) is made anew by the other side. `tests/postgres/moving` holds the list to the
//! catalogs of both backends, so that no table and no column is forgotten.

use super::cell::Kind;

/// A column.
#[derive(Debug)]
pub(crate) struct Column {
    /// Its name in files.
    pub(crate) files: &'static str,
    /// Its name in a database.
    pub(crate) database: &'static str,
    /// What it holds.
    pub(crate) kind: Kind,
}

/// How rows lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lies {
    /// Alike in both.
    Alike,
    /// What there is once of a vault: in several tables of files, in one row of a database.
    Head,
    /// Counters of a vault: rows in files, arrays in a database.
    Counters,
    /// The name of the audit of the system, and its last number.
    Log,
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// Its name in files.
    pub(crate) files: &'static str,
    /// Its name in a database.
    pub(crate) database: &'static str,
    /// How many of its first columns are its key, by which its rows are in order.
    pub(crate) keys: usize,
    /// Its columns.
    pub(crate) columns: &'static [Column],
    /// How its rows lie.
    pub(crate) lies: Lies,
}

impl Table {
    /// Where a column is.
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.files == name)
    }
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { files: name, database: name, kind }
}
const fn int(name: &'static str) -> Column {
    column(name, Kind::Int)
}
const fn flag(name: &'static str) -> Column {
    column(name, Kind::Flag)
}
const fn real(name: &'static str) -> Column {
    column(name, Kind::Real)
}
const fn text(name: &'static str) -> Column {
    column(name, Kind::Text)
}
const fn id(name: &'static str) -> Column {
    column(name, Kind::Id)
}
const fn bytes(name: &'static str) -> Column {
    column(name, Kind::Bytes)
}

const fn table(name: &'static str, keys: usize, columns: &'static [Column]) -> Table {
    Table { name, files: name, database: name, keys, columns, lies: Lies::Alike }
}

/// The tables of one user, in the order in which they are filled: a run before its decisions, and what hangs before what it
/// hangs on, which a trigger of files would change else.
pub(crate) static OF_USER: &[Table] = &[
    Table { lies: Lies::Head, ..table("vault", 0, HEAD) },
    Table { lies: Lies::Counters, ..table("counters", 1, &[int("slot"), int("items"), int("bytes")]) },
    table("sessions", 1, &[int("no"), text("id"), int("next")]),
    table("speakers", 1, &[int("no"), text("folded"), text("name"), int("latest")]),
    table("namespaces", 1, &[int("no"), text("name")]),
    table(
        "consents",
        1,
        &[int("no"), id("id"), int("granted_at"), int("expires_at"), int("retracted_at"), text("body")],
    ),
    table("memories", 1, MEMORIES),
    table("goals", 1, &[id("id"), text("status"), int("created_at"), text("body")]),
    table("meditations", 1, MEDITATIONS),
    table("decisions", 2, DECISIONS),
    table("pruned", 1, &[int("day"), int("bytes")]),
    table("requests", 1, &[text("id"), bytes("fingerprint"), text("answer"), int("at")]),
    table("audit", 1, AUDIT),
    table("audit_segments", 1, SEGMENTS),
    table("outbox", 1, &[int("position"), id("job_id"), text("job"), int("created_at"), text("traceparent")]),
    table("changes", 1, &[int("no"), int("kind"), int("reason"), int("revision"), int("at"), id("memory_id")]),
    table("imports", 1, &[text("id"), int("done"), int("refused"), int("at")]),
    table("embedded", 1, EMBEDDED),
    table("blobs", 1, BLOBS),
    table("attached", 2, &[int("memory"), int("attachment")]),
    table("attachments", 1, ATTACHMENTS),
];

/// The tables of all users, in the order in which they are filled.
pub(crate) static OF_ALL: &[Table] = &[
    table("users", 1, USERS),
    table("outbox_marks", 1, &[text("user_id"), int("marked_at")]),
    Table { database: "embedded_days", ..table("embedded", 1, EMBEDDED) },
    table("credentials", 1, CREDENTIALS),
    Table { database: "system_audit", ..table("audit", 1, AUDIT) },
    Table { database: "system_audit_segments", ..table("audit_segments", 1, SEGMENTS) },
    Table { database: "system_audit_log", lies: Lies::Log, ..table("audit_log", 0, &[text("name"), int("last")]) },
    table("purges", 1, PURGES),
    table("ring_keys", 2, &[text("ring"), text("key"), int("seen_at"), int("done_at"), int("removed_at")]),
];

const HEAD: &[Column] = &[
    text("settings"),
    int("settings_revision"),
    int("audit_pruned"),
    bytes("audit_pruned_hash"),
    int("changes_last"),
    int("outbox_last"),
    int("embedding_asked_at"),
];

const MEMORIES: &[Column] = &[
    int("seq"),
    id("id"),
    int("tier"),
    int("state"),
    int("session"),
    int("position"),
    int("speaker"),
    int("occurred_at"),
    int("created_at"),
    int("traits"),
    int("words"),
    real("score"),
    int("size_bytes"),
    flag("protected"),
    flag("sensitive"),
    int("namespace"),
    int("withheld"),
    int("consent_no"),
    int("source"),
    int("scope"),
    int("created_by"),
    flag("consent"),
    int("epoch"),
    int("life"),
    real("sentiment"),
    int("helpful"),
    int("unhelpful"),
    int("feedback"),
    int("updated_at"),
    int("last_seen_at"),
    int("access_count"),
    int("archived_at"),
    int("delete_after"),
    int("revision"),
    int("schema_version"),
    column("tags", Kind::Tags),
    text("channels"),
    text("version"),
    text("speaker_name"),
    text("content"),
    text("attributes"),
    text("score_record"),
    bytes("sealed_content"),
    bytes("sealed_attributes"),
    bytes("sealed_channels"),
    int("embed"),
];

const MEDITATIONS: &[Column] = &[
    int("no"),
    id("id"),
    text("status"),
    text("started_by"),
    flag("scores_all"),
    int("processed"),
    int("archived"),
    int("pruned"),
    int("archived_bytes"),
    int("pruned_bytes"),
    int("created_at"),
    int("started_at"),
    int("finished_at"),
    int("as_of"),
    int("generation"),
    text("expected_plan"),
    text("error"),
    text("tiers"),
    text("scoring_version"),
];

const DECISIONS: &[Column] = &[
    int("meditation"),
    int("position"),
    id("memory_id"),
    int("seq"),
    text("action"),
    text("reason"),
    text("explanation"),
    int("tier"),
    int("state"),
    int("size_bytes"),
    real("score"),
    int("decided_at"),
];

const AUDIT: &[Column] = &[
    int("no"),
    int("at"),
    text("actor"),
    text("action"),
    text("refused"),
    text("subject"),
    int("count"),
    bytes("hash"),
];

const SEGMENTS: &[Column] = &[int("first"), int("last"), bytes("entries")];

const EMBEDDED: &[Column] = &[int("day"), int("vectors")];

const BLOBS: &[Column] = &[
    int("no"),
    id("id"),
    int("state"),
    flag("sealed"),
    int("staged_at"),
    bytes("sha256"),
    int("size_bytes"),
    int("stored_bytes"),
];

const ATTACHMENTS: &[Column] = &[
    int("no"),
    id("id"),
    int("blob"),
    int("created_at"),
    flag("hung"),
    text("uploader"),
    text("media_type"),
    text("name"),
];

const USERS: &[Column] = &[
    Column { files: "id", database: "user_id", kind: Kind::Text },
    int("created_at"),
    int("schedule_at"),
    int("rotation_at"),
];

const CREDENTIALS: &[Column] = &[
    text("id"),
    text("name"),
    int("kind"),
    bytes("secret_hash"),
    flag("agent"),
    text("granted"),
    int("created_at"),
    text("created_by"),
    int("expires_at"),
    int("revoked_at"),
    bytes("replaced_hash"),
    int("replaced_until"),
    int("last_used_at"),
    text("certificate"),
];

const PURGES: &[Column] = &[
    id("id"),
    text("user_id"),
    text("pseudonym"),
    int("step"),
    text("erased"),
    text("asked_by"),
    int("asked_at"),
    int("finished_at"),
    int("audit_no"),
    bytes("audit_hash"),
];
