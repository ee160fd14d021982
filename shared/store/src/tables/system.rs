//! The tables shared by all users, and columns that vaults and the registry have in common.

use super::{Column, Kind, Lies, Table, bytes, flag, id, int, small, table, text};

/// The tables shared by all users, in the order in which a move fills them.
pub(crate) static OF_ALL: &[Table] = &[
    table("users", 1, USERS),
    table("outbox_marks", 1, &[text("user_id"), int("marked_at")]),
    Table { database: "embedded_days", ..table("embedded", 1, EMBEDDED) },
    table("credentials", 1, CREDENTIALS),
    Table { database: "system_audit", ..table("audit", 1, AUDIT) },
    Table { database: "system_audit_segments", ..table("audit_segments", 1, SEGMENTS) },
    Table { database: "system_audit_log", lies: Lies::Log, ..table("audit_log", 0, &[text("name"), int("last")]) },
    table("purges", 1, PURGES),
    table(
        "ring_keys",
        2,
        &[text("ring"), text("key"), int("seen_at"), int("done_at").or_null(), int("removed_at").or_null()],
    ),
];

const AUDIT: &[Column] = &audit(bytes("hash"));

/// The columns of an audit.
pub(super) const fn audit(hash: Column) -> [Column; 8] {
    [
        int("no"),
        int("at"),
        text("actor"),
        text("action"),
        text("refused").or_null(),
        text("subject").or_null(),
        int("count"),
        hash,
    ]
}

pub(super) const SEGMENTS: &[Column] = &[int("first"), int("last"), bytes("entries")];

pub(super) const EMBEDDED: &[Column] = &[int("day"), int("vectors")];

const USERS: &[Column] = &[
    Column { files: "id", database: "user_id", kind: Kind::Text, nullable: false },
    int("created_at"),
    int("schedule_at"),
    int("rotation_at"),
];

const CREDENTIALS: &[Column] = &[
    text("id"),
    text("name"),
    small("kind"),
    bytes("secret_hash"),
    flag("agent"),
    text("granted"),
    int("created_at"),
    text("created_by"),
    int("expires_at").or_null(),
    int("revoked_at").or_null(),
    bytes("replaced_hash").or_null(),
    int("replaced_until").or_null(),
    int("last_used_at").or_null(),
    text("certificate").or_null(),
];

const PURGES: &[Column] = &[
    id("id"),
    text("user_id").or_null(),
    text("pseudonym"),
    small("step"),
    text("erased"),
    text("asked_by"),
    int("asked_at"),
    int("finished_at").or_null(),
    int("audit_no").or_null(),
    bytes("audit_hash").or_null(),
];
