-- Vaults that were found damaged, by their user; what keeps them from use lies in their folders.
CREATE TABLE quarantine (
    user_id TEXT PRIMARY KEY,
    damage TEXT NOT NULL,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where the search for damage goes on: behind this user. One row at most.
CREATE TABLE scrub (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    user_id TEXT NOT NULL
) STRICT;
