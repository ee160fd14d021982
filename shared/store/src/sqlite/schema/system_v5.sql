-- Users of whom everything is or was erased.

-- Purges, and their receipts once they are done: then without the user's id. pseudonym stands for the user, 32
-- hexadecimal digits. step is a position in the order that kimberly-core fixes. erased: numbers only, as JSON. audit_no and
-- audit_hash are of the entry that tells it.
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
