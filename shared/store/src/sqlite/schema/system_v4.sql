-- What was done to what is there once for all users, and what was refused.

-- Entries in a chain like that of every vault.
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

-- The name of this log, which no other data folder has; the number of its last entry, apart from the entries.
CREATE TABLE audit_log (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    name TEXT NOT NULL,
    last INTEGER NOT NULL
) STRICT;
INSERT INTO audit_log (only, name, last) VALUES (1, 'system:' || lower(hex(randomblob(8))), 0);
