-- system.db: data that must be global. Times are microseconds since 1970 in UTC.

PRAGMA application_id = 0x4B4D4253; -- KMBS

-- Users and when their next runs are due.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    schedule_at INTEGER NOT NULL,
    rotation_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX users_schedule ON users (schedule_at);
CREATE INDEX users_rotation ON users (rotation_at);

-- Vaults whose outbox may hold something.
CREATE TABLE outbox_marks (
    user_id TEXT PRIMARY KEY,
    marked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Vectors computed per day since 1970, for all users together. Only the latest days are kept.
CREATE TABLE embedded (
    day INTEGER PRIMARY KEY,
    vectors INTEGER NOT NULL
) STRICT;

-- Credentials of callers, without their secrets. Revoked ones are kept, so that names are never reused.
-- kind: 0 key of a caller, 1 key of the account that runs the service, 2 client certificate, whose name is in certificate and
-- whose secret_hash is zeros, because it has no secret.
CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    secret_hash BLOB NOT NULL,
    certificate TEXT,
    agent INTEGER NOT NULL,
    granted TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    replaced_hash BLOB,
    replaced_until INTEGER,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;
-- Unrevoked certificates have different names.
CREATE UNIQUE INDEX credentials_certificate ON credentials (certificate)
    WHERE certificate IS NOT NULL AND revoked_at IS NULL;

-- Audit of global data: what was done and what was refused, in a chain like that of every vault.
CREATE TABLE audit (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    refused TEXT,
    subject TEXT,
    count INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;

-- Entries with the numbers from first to last, packed by kimberly-core and compressed with zstd. Later ones are rows of audit.
CREATE TABLE audit_segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    entries BLOB NOT NULL
) STRICT;

-- The name of this log, unique among data folders, and the number of its last entry, stored apart from the entries.
CREATE TABLE audit_log (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL,
    last INTEGER NOT NULL
) STRICT;
INSERT INTO audit_log (only, name, last) VALUES (1, 'system:' || lower(hex(randomblob(8))), 0);

-- Purges of users, and their receipts after completion, then without the user's id. pseudonym: stands for the user, 32
-- hexadecimal digits. step: a position in the order that kimberly-core fixes. erased: numbers only, as JSON. audit_no and
-- audit_hash: the audit entry of the purge.
CREATE TABLE purges (
    id BLOB PRIMARY KEY,
    user_id TEXT,
    pseudonym TEXT NOT NULL,
    step INTEGER NOT NULL,
    erased TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    finished_at INTEGER,
    audit_no INTEGER,
    audit_hash BLOB
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX purges_under_way ON purges (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX purges_pseudonym ON purges (pseudonym, id);

-- Ids of the keys of rings: 16 hexadecimal digits. done_at: when it was found that key files need no other key of the ring.
-- removed_at: when it was found that the ring no longer contains it.
CREATE TABLE ring_keys (
    ring TEXT NOT NULL,
    key TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    done_at INTEGER,
    removed_at INTEGER,
    PRIMARY KEY (ring, key)
) STRICT, WITHOUT ROWID;

-- Damaged vaults, by user. Marks in their folders keep them from use.
CREATE TABLE quarantine (
    user_id TEXT PRIMARY KEY,
    damage TEXT NOT NULL,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The check for damage continues after this user. At most one row.
CREATE TABLE scrub (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    user_id TEXT NOT NULL
) STRICT;
