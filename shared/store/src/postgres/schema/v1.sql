-- All data of all users. Every key of a user's data starts with `user_id`, so that tables can be distributed by it. Times are
-- microseconds since 1970 in UTC. Small closed sets (tier, state, source, scope, created_by) are stored as their position in the
-- order that kimberly-core fixes. Numbers (`no`, `seq`) count per user and are assigned under the lock of the user's row in
-- `vaults`. Text is compared byte by byte (COLLATE "C"), as on the other backend.

-- Users, and the times of their next runs. Read across users, so without row-level security.
CREATE TABLE users (
    user_id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    schedule_at bigint NOT NULL,
    rotation_at bigint NOT NULL
);
CREATE INDEX users_schedule ON users (schedule_at);
CREATE INDEX users_rotation ON users (rotation_at);

-- Users whose outbox has jobs.
CREATE TABLE outbox_marks (
    user_id text COLLATE "C" PRIMARY KEY,
    marked_at bigint NOT NULL
);

-- One row per user, locked by every writer. `items` and `bytes` have one element per slot. Arrays start at 1, slots in code at 0:
-- 0-8: memories by tier * 3 + state. 9: ever created, which also gives the next number. 10: ever deleted. 11: ever archived.
-- 12: changes to memories that affect recall, except new ones. 13: commits. 14: changes of goals. 15: number of the last audit
-- entry. 16: memories in the full-text index, with their tokens as bytes.
CREATE TABLE vaults (
    user_id text COLLATE "C" PRIMARY KEY,
    -- Differs from the mark of a purged vault of the same user.
    mark uuid NOT NULL DEFAULT gen_random_uuid(),
    items bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[17]),
    bytes bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[17]),
    -- Identifies the last commit, so that a writer can find out whether its own succeeded.
    commit_mark uuid,
    settings text,
    settings_revision bigint NOT NULL DEFAULT 0,
    -- The running purge; hides the vault.
    purging uuid,
    -- What the vault contained, as JSON, after the purge emptied it.
    purged text,
    -- Numbers that are never reused.
    outbox_last bigint NOT NULL DEFAULT 0,
    changes_last bigint NOT NULL DEFAULT 0,
    audit_hash bytea,
    audit_pruned bigint,
    audit_pruned_hash bytea,
    -- Vectors: whether a job waits, whether all must be computed again, times of the last request and the last sync, and the
    -- result of that sync.
    embedding_waiting boolean NOT NULL DEFAULT false,
    embedding_rebuild boolean NOT NULL DEFAULT false,
    embedding_asked_at bigint,
    embedding_synced_at bigint,
    embedding_needed bigint NOT NULL DEFAULT 0,
    embedding_missing bigint NOT NULL DEFAULT 0,
    embedding_failed bigint NOT NULL DEFAULT 0,
    embedding_version bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE sessions (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    next bigint NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, id)
);

CREATE TABLE speakers (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    folded text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    latest bigint NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, folded)
);

CREATE TABLE namespaces (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, name)
);

CREATE TABLE consents (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id uuid NOT NULL,
    granted_at bigint NOT NULL,
    expires_at bigint,
    retracted_at bigint,
    body text NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, id)
);

-- The columns of memories are declared in store/src/tables/memories, for both backends.
-- epoch: counter 14 when it was last scored, -1 if something else changed since. life: bit 0 was ever archived, bit 1 was ever
-- deleted. speaker_name: the speaker as written, if not as in `speakers`. channels: a JSON array, NULL if empty.
-- feedback: stars, 1000 for thumbs up, 1001 for thumbs down. version: NULL for "v1". occurred_at: NULL if equal to created_at.
-- kind: NULL for none. source_type: NULL if it follows from created_by. confidence_history: numbers, as JSON. texts: texts of the
-- detail. subject_key: the folded subject, or its keyed hash if sealed. embed: 0 gets vectors as far as the cap allows, 1 before
-- all others, 2 never. words: number of words, for the traits. tokens: number of tokens in `indexed`, which is NULL for memories
-- that must not be in the full-text index (deleted, withheld or sealed). Its lexemes come from the tokenizer of the other backend.
CREATE TABLE memories (
    user_id text COLLATE "C" NOT NULL,
    {columns of memories},
    tokens bigint NOT NULL DEFAULT 0,
    indexed tsvector,
    PRIMARY KEY (user_id, seq),
    UNIQUE (user_id, id)
) WITH (fillfactor = 80);
CREATE INDEX memories_created ON memories (user_id, created_at, seq);
CREATE INDEX memories_spot ON memories (user_id, session, position) WHERE session IS NOT NULL;
CREATE INDEX memories_speaker ON memories (user_id, speaker) WHERE speaker IS NOT NULL;
CREATE INDEX memories_namespace ON memories (user_id, namespace) WHERE namespace <> 0;
CREATE INDEX memories_kind ON memories (user_id, kind, created_at, seq) WHERE kind IS NOT NULL;
CREATE INDEX memories_subject ON memories (user_id, subject_key) WHERE subject_key IS NOT NULL;
CREATE UNIQUE INDEX memories_name ON memories (user_id, namespace, name_key) WHERE state = 0 AND name_key IS NOT NULL;
CREATE INDEX memories_consent ON memories (user_id, consent_no) WHERE consent_no IS NOT NULL;
CREATE INDEX memories_to_erase ON memories (user_id, seq) WHERE withheld = 2;
CREATE INDEX memories_sealed ON memories (user_id, seq) WHERE sealed_content IS NOT NULL;
-- GIN indices collect new entries in a pending list, shared by all users, which every search scans. Its default limit is 4 MB.
-- Measured with a million memories of a thousand users: a search for five words took Postgres 4 to 6 ms with 4 MB and 1.2 ms with
-- 256 kB, and writers that flushed the list waited 0.8 s and 0.2 s, at the same rate of writes. With 64 kB the 99th percentile of
-- waits is 14 ms instead of 6 ms. Trigrams are searched rarely and are more numerous, so their limit is higher.
CREATE INDEX memories_indexed ON memories USING gin (user_id, indexed) WITH (gin_pending_list_limit = 256);
CREATE INDEX memories_content ON memories USING gin (user_id, content gin_trgm_ops) WITH (gin_pending_list_limit = 1024);
CREATE INDEX memories_texts ON memories USING gin (user_id, texts gin_trgm_ops) WITH (gin_pending_list_limit = 1024)
    WHERE texts IS NOT NULL;

-- Tables that depend on memories, each declared once in core/src/tables. A row is deleted with the memories that it is about.
{declared tables}
CREATE TABLE goals (
    user_id text COLLATE "C" NOT NULL,
    id uuid NOT NULL,
    status text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE meditations (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id uuid NOT NULL,
    status text COLLATE "C" NOT NULL,
    started_by text COLLATE "C" NOT NULL,
    scores_all boolean NOT NULL,
    asked text,
    steps text NOT NULL,
    processed bigint NOT NULL,
    archived bigint NOT NULL,
    pruned bigint NOT NULL,
    archived_bytes bigint NOT NULL,
    pruned_bytes bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    as_of bigint NOT NULL,
    generation bigint NOT NULL,
    expected_plan text,
    error text,
    tiers text NOT NULL,
    scoring_version text NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, id)
);
CREATE INDEX meditations_waiting ON meditations (user_id, no) WHERE status = 'scheduled';

CREATE TABLE decisions (
    user_id text COLLATE "C" NOT NULL,
    meditation bigint NOT NULL,
    position bigint NOT NULL,
    part bigint NOT NULL,
    subject uuid NOT NULL,
    seq bigint NOT NULL,
    step text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    body text COLLATE "C" NOT NULL,
    decided_at bigint NOT NULL,
    PRIMARY KEY (user_id, meditation, position, part),
    FOREIGN KEY (user_id, meditation) REFERENCES meditations (user_id, no) ON DELETE CASCADE
);
CREATE INDEX decisions_subject ON decisions (user_id, subject);

CREATE TABLE pruned (
    user_id text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (user_id, day)
);

CREATE TABLE requests (
    user_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    answer text NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (user_id, id)
);
CREATE INDEX requests_at ON requests (user_id, at);

CREATE TABLE audit (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    at bigint NOT NULL,
    actor text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    refused text COLLATE "C",
    subject text COLLATE "C",
    count bigint NOT NULL,
    hash bytea,
    PRIMARY KEY (user_id, no)
);

CREATE TABLE audit_segments (
    user_id text COLLATE "C" NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    entries bytea NOT NULL,
    PRIMARY KEY (user_id, first)
);

CREATE TABLE outbox (
    user_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    job_id uuid NOT NULL,
    job text NOT NULL,
    created_at bigint NOT NULL,
    traceparent text,
    PRIMARY KEY (user_id, position)
);

CREATE TABLE changes (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    kind smallint NOT NULL,
    reason smallint,
    revision bigint NOT NULL,
    at bigint NOT NULL,
    memory_id uuid NOT NULL,
    PRIMARY KEY (user_id, no)
);

CREATE TABLE imports (
    user_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    done bigint NOT NULL,
    refused bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE embedded (
    user_id text COLLATE "C" NOT NULL,
    day bigint NOT NULL,
    vectors bigint NOT NULL,
    PRIMARY KEY (user_id, day)
);

-- state: 0 staged, 1 stored, 2 condemned.
CREATE TABLE blobs (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id uuid NOT NULL,
    state smallint NOT NULL,
    sealed boolean NOT NULL DEFAULT false,
    staged_at bigint NOT NULL,
    sha256 bytea,
    size_bytes bigint NOT NULL,
    stored_bytes bigint NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, id)
);
CREATE UNIQUE INDEX blobs_content ON blobs (user_id, sha256, sealed) WHERE state = 1;
CREATE INDEX blobs_pending ON blobs (user_id, state, staged_at) WHERE state <> 1;

CREATE TABLE attachments (
    user_id text COLLATE "C" NOT NULL,
    no bigint NOT NULL,
    id uuid NOT NULL,
    blob bigint NOT NULL,
    created_at bigint NOT NULL,
    hung boolean NOT NULL,
    uploader text NOT NULL,
    media_type text NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (user_id, no),
    UNIQUE (user_id, id)
);
CREATE INDEX attachments_blob ON attachments (user_id, blob);
CREATE INDEX attachments_created ON attachments (user_id, created_at, id);
CREATE INDEX attachments_waiting ON attachments (user_id, created_at) WHERE NOT hung;

CREATE TABLE attached (
    user_id text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    attachment bigint NOT NULL,
    PRIMARY KEY (user_id, memory, attachment)
);
CREATE INDEX attached_attachment ON attached (user_id, attachment);

-- Data that belongs to no user.

CREATE TABLE embedded_days (
    day bigint PRIMARY KEY,
    vectors bigint NOT NULL
);

CREATE TABLE credentials (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    kind smallint NOT NULL,
    secret_hash bytea NOT NULL,
    agent boolean NOT NULL,
    granted text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    replaced_hash bytea,
    replaced_until bigint,
    last_used_at bigint,
    certificate text COLLATE "C"
);
CREATE UNIQUE INDEX credentials_certificate ON credentials (certificate)
    WHERE certificate IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE system_audit (
    no bigint PRIMARY KEY,
    at bigint NOT NULL,
    actor text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    refused text COLLATE "C",
    subject text COLLATE "C",
    count bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE system_audit_segments (
    first bigint PRIMARY KEY,
    last bigint NOT NULL,
    entries bytea NOT NULL
);

-- One row, locked by every writer of the system's audit.
CREATE TABLE system_audit_log (
    one smallint PRIMARY KEY CHECK (one = 1),
    name text NOT NULL,
    last bigint NOT NULL,
    hash bytea
);
INSERT INTO system_audit_log (one, name, last)
VALUES (1, 'system:' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16), 0);

CREATE TABLE purges (
    id uuid PRIMARY KEY,
    user_id text COLLATE "C",
    pseudonym text COLLATE "C" NOT NULL,
    step smallint NOT NULL,
    erased text NOT NULL,
    asked_by text NOT NULL,
    asked_at bigint NOT NULL,
    finished_at bigint,
    audit_no bigint,
    audit_hash bytea
);
CREATE UNIQUE INDEX purges_under_way ON purges (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX purges_pseudonym ON purges (pseudonym, id);

-- Wrapped keys of users, by the hash of their ids (64 hexadecimal digits), of the system and of the queue, and the id that all are
-- bound to. They can be opened only with the rings, which are not in the database. No row-level security, because a process that
-- rewraps keys reads all of them.
CREATE TABLE wrapped_keys (
    name text COLLATE "C" PRIMARY KEY CHECK (name IN ('id', 'system', 'queue') OR name ~ '^[0-9a-f]{64}$'),
    file bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- Stored inside the row, so that the next round of autovacuum removes destroyed keys.
ALTER TABLE wrapped_keys ALTER COLUMN file SET STORAGE MAIN;

-- Ids of the keys of rings, for the audit.
CREATE TABLE ring_keys (
    ring text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    seen_at bigint NOT NULL,
    done_at bigint,
    removed_at bigint,
    PRIMARY KEY (ring, key)
);

-- Moves of all data into or out of this database (`kimberly migrate`).

-- One row if a move was ever started. state: 'filling' while data arrives, 'arrived' until a worker has resumed unfinished work,
-- 'left' after the data has moved away. other: the source or target, without secrets. installation: the name of the system's
-- audit, which is unique.
CREATE TABLE moves (
    one smallint PRIMARY KEY CHECK (one = 1),
    state text NOT NULL,
    installation text NOT NULL,
    other text NOT NULL
);

-- During a move into this database: users copied so far, the version stamp of their vault when it was read, and SHA-256 of the data.
CREATE TABLE moved_users (
    user_id text COLLATE "C" PRIMARY KEY,
    stamp text NOT NULL,
    digest bytea NOT NULL
);

-- Working memory: short-lived texts by key. Unlogged, because a crash may empty it. It is neither moved nor backed up.
CREATE UNLOGGED TABLE working (
    user_id text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    used_at bigint NOT NULL,
    PRIMARY KEY (user_id, namespace, session, key)
);
CREATE INDEX working_ends ON working (user_id, expires_at);

-- Row-level security: a statement without a condition on the user still sees no rows of other users.
DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['vaults', 'sessions', 'speakers', 'namespaces', 'consents', 'memories', 'goals',
        'meditations', 'decisions', 'pruned', 'requests', 'audit', 'audit_segments', 'outbox', 'changes', 'imports',
        'embedded', 'blobs', 'attachments', 'attached', 'working'{declared names}]
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY of_user ON %I USING (user_id = current_setting(''kimberly.user_id'', true))', one);
    END LOOP;
END $$;

-- For conditions that need an index of words or trigrams. Under row-level security Postgres uses no index for functions that are
-- not leakproof, as these are not: it would scan all memories of the user. So the owner may read all rows, and the role of the
-- processes reads them through this view, which filters by user.
CREATE POLICY of_owner ON memories FOR SELECT TO CURRENT_USER USING (true);
CREATE VIEW searched AS SELECT * FROM memories WHERE user_id = current_setting('kimberly.user_id', true);
