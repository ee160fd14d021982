//! The tables of one user.
//!
//! Derived data (full-text index, vectors) is not moved: the target rebuilds it. Tests compare the list with the
//! catalogs of both backends, so that no table and no column is forgotten.

use std::sync::LazyLock;

use super::system::{EMBEDDED, SEGMENTS, audit};
use super::{Column, Lies, Table, bytes, flag, id, int, memories, small, table, text};
use crate::declared;

/// The tables of one user, in the order in which a move fills them. Runs precede decisions. A table such as `attached`
/// precedes the one that it refers to, because otherwise its trigger in files would change that one's rows. The tables
/// that `kimberly_core::tables` declares come last.
pub(crate) fn of_user() -> &'static [Table] {
    static OF_USER: LazyLock<Vec<Table>> =
        LazyLock::new(|| DECLARED_HERE.iter().copied().chain(declared::tables()).collect());
    &OF_USER
}

static DECLARED_HERE: &[Table] = &[
    Table { lies: Lies::Head, ..table("vault", 0, HEAD) },
    Table { lies: Lies::Counters, ..table("counters", 1, &[int("slot"), int("items"), int("bytes")]) },
    table("sessions", 1, &[int("no"), text("id"), int("next")]),
    table("speakers", 1, &[int("no"), text("folded"), text("name"), int("latest")]),
    table("namespaces", 1, &[int("no"), text("name")]),
    table(
        "consents",
        1,
        &[
            int("no"),
            id("id"),
            int("granted_at"),
            int("expires_at").or_null(),
            int("retracted_at").or_null(),
            text("body"),
        ],
    ),
    table("memories", 1, &memories::COLUMNS),
    table("goals", 1, &[id("id"), text("status"), int("created_at"), text("body")]),
    table("meditations", 1, MEDITATIONS),
    table("decisions", 3, DECISIONS),
    table("pruned", 1, &[int("day"), int("bytes")]),
    table("requests", 1, &[text("id"), bytes("fingerprint"), text("answer"), int("at")]),
    table("audit", 1, &AUDIT),
    table("audit_segments", 1, SEGMENTS),
    table("outbox", 1, &[int("position"), id("job_id"), text("job"), int("created_at"), text("traceparent").or_null()]),
    table(
        "changes",
        1,
        &[int("no"), small("kind"), small("reason").or_null(), int("revision"), int("at"), id("memory_id")],
    ),
    table("imports", 1, &[text("id"), int("done"), int("refused"), int("at")]),
    table("embedded", 1, EMBEDDED),
    table("blobs", 1, BLOBS),
    table("attached", 2, &[int("memory"), int("attachment")]),
    table("attachments", 1, ATTACHMENTS),
];

const HEAD: &[Column] = &[
    text("settings").or_null(),
    int("settings_revision"),
    int("audit_pruned").or_null(),
    bytes("audit_pruned_hash").or_null(),
    int("changes_last"),
    int("outbox_last"),
    int("embedding_asked_at").or_null(),
];

const MEDITATIONS: &[Column] = &[
    int("no"),
    id("id"),
    text("status"),
    text("started_by"),
    flag("scores_all"),
    text("asked").or_null(),
    text("steps"),
    int("processed"),
    int("archived"),
    int("pruned"),
    int("archived_bytes"),
    int("pruned_bytes"),
    int("created_at"),
    int("started_at").or_null(),
    int("finished_at").or_null(),
    int("as_of"),
    int("generation"),
    text("expected_plan").or_null(),
    text("error").or_null(),
    text("tiers"),
    text("scoring_version"),
];

const DECISIONS: &[Column] = &[
    int("meditation"),
    int("position"),
    int("part"),
    id("subject"),
    int("seq"),
    text("step"),
    text("kind"),
    text("reason"),
    text("body"),
    int("decided_at"),
];

const BLOBS: &[Column] = &[
    int("no"),
    id("id"),
    small("state"),
    flag("sealed"),
    int("staged_at"),
    bytes("sha256").or_null(),
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

const AUDIT: [Column; 8] = audit(bytes("hash").or_null());
