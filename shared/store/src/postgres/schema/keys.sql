-- Wrapped keys: those of users by the hash of their ids (64 hexadecimal digits), those of the system and of the queue, and the
-- id that all are bound to. What is here opens with the rings alone, which no database holds. No row-level security: whoever
-- wraps keys anew goes through all of them.
CREATE TABLE wrapped_keys (
    name text COLLATE "C" PRIMARY KEY CHECK (name IN ('id', 'system', 'queue') OR name ~ '^[0-9a-f]{64}$'),
    file bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- In its row, and what was destroyed is passed by at the next round of the vacuum.
ALTER TABLE wrapped_keys ALTER COLUMN file SET STORAGE MAIN;

-- A row once no sensitive memory is there that is not sealed.
CREATE TABLE all_sealed (
    one smallint PRIMARY KEY CHECK (one = 1)
);

-- What is kept of the keys of rings, for the audit: their ids alone.
CREATE TABLE ring_keys (
    ring text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    seen_at bigint NOT NULL,
    done_at bigint,
    removed_at bigint,
    PRIMARY KEY (ring, key)
);
