-- Moving everything to here, or from here to elsewhere (`kimberly migrate`).

-- One row, if that was ever begun. state: 'filling' while it comes, 'arrived' until a worker has taken up what was under way,
-- 'left' once it is elsewhere. other: where from, or where to, without secrets. installation: the name of the audit of the
-- system, which no other one has.
CREATE TABLE moves (
    one smallint PRIMARY KEY CHECK (one = 1),
    state text NOT NULL,
    installation text NOT NULL,
    other text NOT NULL
);

-- While it comes: users that are here, what their vaults were told by when they were read, and SHA-256 over what was read.
CREATE TABLE moved_users (
    user_id text COLLATE "C" PRIMARY KEY,
    stamp text NOT NULL,
    digest bytea NOT NULL
);
