-- system.db: the little that must be global. Times are microseconds since 1970 in UTC.

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
