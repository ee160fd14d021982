-- The audit in less room.

-- Entries with the numbers from first to last, packed as kimberly-core fixes and compressed with zstd; those that follow
-- are rows of audit.
CREATE TABLE audit_segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    entries BLOB NOT NULL
) STRICT;
