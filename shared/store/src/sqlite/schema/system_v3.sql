-- Credentials of callers: what is kept of them, never their secrets.

-- kind: 0 key of a caller, 1 key of the account that runs the service. Revoked ones stay, so that no name is given twice.
CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind INTEGER NOT NULL,
    secret_hash BLOB NOT NULL,
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
