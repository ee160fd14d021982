-- Everything of all users. `user_id` leads every key of what is a user's, so that tables can be distributed by it; times are
-- microseconds since 1970 in UTC. Small closed sets (tier, state, source, scope, created_by) are stored as their position in
-- the order that kimberly-core fixes for them. Numbers (`no`, `seq`) count within one user, given under the lock of his row
-- in `vaults`. Text is compared byte by byte (COLLATE "C"), as the other backend does.

-- Users, and when they are due. Read across users: no row-level security.
CREATE TABLE users (
    user_id text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL,
    schedule_at bigint NOT NULL,
    rotation_at bigint NOT NULL
);
CREATE INDEX users_schedule ON users (schedule_at);
CREATE INDEX users_rotation ON users (rotation_at);

-- Users whose outbox holds something.
CREATE TABLE outbox_marks (
    user_id text COLLATE "C" PRIMARY KEY,
    marked_at bigint NOT NULL
);

-- One row per user: locked by whoever writes. `items` and `bytes` by slot, counted from 1 where the code counts from 0:
-- 0-8: memories by tier * 3 + state. 9: ever created, which also gives the next number. 10: ever deleted. 11: ever archived.
-- 12: changes to memories other than new ones, as far as recall sees them. 13: commits. 14: changes of goals. 15: number of
-- the audit's last entry. 16: memories in the full-text index, and as bytes their tokens.
CREATE TABLE vaults (
    user_id text COLLATE "C" PRIMARY KEY,
    -- Of another mark than a vault of the same user that was purged before.
    mark uuid NOT NULL DEFAULT gen_random_uuid(),
    items bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[17]),
    bytes bigint[] NOT NULL DEFAULT array_fill(0::bigint, ARRAY[17]),
    -- Names the last commit, for whoever must find out whether it was his.
    commit_mark uuid,
    settings text,
    settings_revision bigint NOT NULL DEFAULT 0,
    -- The purge that is under way; hides the vault.
    purging uuid,
    -- What the vault held, as JSON, once that purge has emptied it.
    purged text,
    -- Numbers never given again.
    outbox_last bigint NOT NULL DEFAULT 0,
    changes_last bigint NOT NULL DEFAULT 0,
    audit_hash bytea,
    audit_pruned bigint,
    audit_pruned_hash bytea,
    -- Vectors: one job waits, all are to be made anew, when they were asked for and brought up to date, and what there was
    -- to do then.
    embedding_waiting boolean NOT NULL DEFAULT false,
    embedding_anew boolean NOT NULL DEFAULT false,
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

-- Their columns are declared in store/src/tables/memories, for both backends.
-- epoch: counter 14 when it was last scored, -1 if something else changed since. life: bit 0 was ever archived, bit 1 was ever
-- deleted. speaker_name: how the speaker was written, if not as in `speakers`. channels: a JSON array, NULL if empty.
-- feedback: stars, 1000 for thumbs up, 1001 for thumbs down. version: NULL for "v1". occurred_at: NULL for created_at.
-- kind: NULL for none. source_type: NULL where it follows from created_by. confidence_history: numbers, as JSON. texts: those of
-- the detail; subject_key: the subject folded, or a keyed hash of it where it is sealed.
-- embed: whether it is given vectors: 0 as far as the cap allows, 1 before those others, 2 not at all. words: for the traits;
-- tokens: in `indexed`, which is NULL for what the full-text index must not hold (deleted, withheld or sealed). Its lexemes
-- are those of the other backend's tokenizer, made by it.
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
-- What an index of words is given waits on a list until there is enough to be put into its place, and every search by anybody
-- goes through that list. By default it grows to 4 MB: measured with a million memories of a thousand users, a search for five
-- words then took 4 to 6 ms of Postgres, and with 256 kB 1.2 ms; writers that came to empty it waited 0.8 s, now 0.2 s, and no
-- fewer were written. With 64 kB the 99th of a hundred waits 14 ms instead of 6. Parts of words are searched seldom, and there are
-- more of them.
CREATE INDEX memories_indexed ON memories USING gin (user_id, indexed) WITH (gin_pending_list_limit = 256);
CREATE INDEX memories_content ON memories USING gin (user_id, content gin_trgm_ops) WITH (gin_pending_list_limit = 1024);
CREATE INDEX memories_texts ON memories USING gin (user_id, texts gin_trgm_ops) WITH (gin_pending_list_limit = 1024)
    WHERE texts IS NOT NULL;

-- Tables that hang on memories, each declared once in core/src/tables: a row goes with the memories that it is about.
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

-- What is nobody's data.

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

-- One row: locked by whoever adds to the audit of the system.
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

-- Wrapped keys: those of users by the hash of their ids (64 hexadecimal digits), those of the system and of the queue, and the
-- id that all are bound to. What is here opens with the rings alone, which no database holds. No row-level security: a process that
-- wraps keys again goes through all of them.
CREATE TABLE wrapped_keys (
    name text COLLATE "C" PRIMARY KEY CHECK (name IN ('id', 'system', 'queue') OR name ~ '^[0-9a-f]{64}$'),
    file bytea NOT NULL
) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
-- In its row, and what was destroyed is passed by at the next round of the vacuum.
ALTER TABLE wrapped_keys ALTER COLUMN file SET STORAGE MAIN;

-- What is kept of the keys of rings, for the audit: their ids alone.
CREATE TABLE ring_keys (
    ring text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    seen_at bigint NOT NULL,
    done_at bigint,
    removed_at bigint,
    PRIMARY KEY (ring, key)
);

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

-- Working memory: texts by key for a while. Unlogged, as a crash may empty it; not moved, not backed up.
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

-- The second lock: whatever a statement forgets to ask, it sees no row of another user.
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

-- Where a condition is that only an index of words or of pieces can answer fast. Under row-level security Postgres asks no
-- index about conditions whose functions it does not trust, as those are: it would look at every memory of the user. So the
-- owner may read all rows, and the role of the processes reads them through this view, which lets those of one user pass.
CREATE POLICY of_owner ON memories FOR SELECT TO CURRENT_USER USING (true);
CREATE VIEW searched AS SELECT * FROM memories WHERE user_id = current_setting('kimberly.user_id', true);
