-- A vault: everything about one user. Times are microseconds since 1970 in UTC. Small closed sets (tier, state, source,
-- scope, created_by) are stored as their position in the order that kimberly-core fixes. late.rs adds indices that most vaults
-- do not need.

PRAGMA application_id = 0x4B4D4256; -- KMBV

-- The user, their settings as JSON (revision 0: never written), and the last pruned audit entry, if there is one.
CREATE TABLE vault (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    user_id TEXT,
    settings TEXT,
    settings_revision INTEGER NOT NULL,
    audit_pruned INTEGER,
    audit_pruned_hash BLOB
) STRICT;
INSERT INTO vault (only, settings_revision) VALUES (1, 0);

-- Slots 0-8: memories by tier * 3 + state. 9: ever created, which also gives the next number. 10: ever deleted.
-- 11: ever archived. 12: changes to memories that affect recall, except new ones; its bytes: changes of rows that graphs
-- are built from. 13: commits. 14: changes of goals.
-- 15: number of the last audit entry, stored apart from the entries, so that entries cut off the end are detected.
CREATE TABLE counters (
    slot INTEGER PRIMARY KEY,
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
INSERT INTO counters (slot, items, bytes)
WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < 15)
SELECT slot, 0, 0 FROM slots;

-- Sessions. The next memory goes after the last one, at position `next` or later; `next` changes only if memories leave.
CREATE TABLE sessions (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    next INTEGER NOT NULL
) STRICT;

-- Speakers, distinguished without case. `latest`: the number of their last memory, or of one up to 64 before it.
CREATE TABLE speakers (
    no INTEGER PRIMARY KEY,
    folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    latest INTEGER NOT NULL
) STRICT;

-- Namespaces, except the default one, whose number is 0.
CREATE TABLE namespaces (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Consent records. body: the whole record as JSON.
CREATE TABLE consents (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER,
    retracted_at INTEGER,
    body TEXT NOT NULL
) STRICT;

-- Memories. Columns that recall and retention read come first, so that long content does not slow them down.
-- epoch: value of counter 14 when it was last scored, -1 if something else changed since.
-- life: bit 0 was ever archived, bit 1 was ever deleted; for the totals.
-- speaker_name: the speaker as written, if not as in `speakers`.
-- tags, channels: JSON arrays, NULL if empty. feedback: stars, 1000 for thumbs up, 1001 for thumbs down.
-- namespace: 0 for the default one. withheld: 1 hidden because its consent was retracted, 2 also to be erased.
-- consent_no: its consent record.
-- kind: NULL for none. source_type: NULL if it follows from created_by. confidence_history: numbers, as JSON.
-- texts: texts of the detail, which the full-text index contains besides the content. subject_key: the folded subject, or its
-- keyed hash if sealed. name_key: the bytes of the name, or its keyed hash if sealed; unique among active memories.
-- embed: 0 gets vectors as far as the cap allows, 1 before all others, 2 never.
-- version: NULL for "v1". occurred_at: NULL if equal to created_at. score_record: how the score was computed, compact JSON.
-- The columns are declared in store/src/tables/memories, for both backends.
-- sealed_*: encrypted with another key of the user than the pages (kimberly-crypto, seal.rs), instead of content, attributes,
-- channels, subject, detail, its texts, source_ref and name, which are then '' and NULL. A memory with sealed_content is sealed.
CREATE TABLE memories (
    {columns of memories},
    PRIMARY KEY (seq)
) STRICT;
CREATE UNIQUE INDEX memories_id ON memories (id);
CREATE INDEX memories_created ON memories (created_at);
CREATE INDEX memories_spot ON memories (session, position) WHERE session IS NOT NULL;
CREATE INDEX memories_kind ON memories (kind, created_at) WHERE kind IS NOT NULL;
CREATE INDEX memories_subject ON memories (subject_key) WHERE subject_key IS NOT NULL;
CREATE UNIQUE INDEX memories_name ON memories (namespace, name_key) WHERE state = 0 AND name_key IS NOT NULL;
CREATE INDEX memories_sealed ON memories (seq) WHERE sealed_content IS NOT NULL;

-- The full-text index holds every memory that is neither deleted nor withheld nor sealed. The writer adds new memories once
-- per commit; the triggers below do the rest.
CREATE VIEW searchable (seq, content) AS
SELECT seq, content || coalesce(char(10) || texts, '') FROM memories WHERE state <> 2 AND withheld = 0 AND sealed_content IS NULL;
CREATE VIRTUAL TABLE search USING fts5 (
    content, content = 'searchable', content_rowid = 'seq', tokenize = 'porter unicode61'
);
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

CREATE TRIGGER memories_inserted AFTER INSERT ON memories BEGIN
    UPDATE counters SET items = items + 1, bytes = bytes + iif(slot = 9, 0, new.size_bytes)
    WHERE slot IN (new.tier * 3 + new.state, 9);
END;
CREATE TRIGGER memories_counted AFTER UPDATE OF tier, state, size_bytes ON memories
WHEN old.tier <> new.tier OR old.state <> new.state OR old.size_bytes <> new.size_bytes BEGIN
    UPDATE counters SET items = items - 1, bytes = bytes - old.size_bytes WHERE slot = old.tier * 3 + old.state;
    UPDATE counters SET items = items + 1, bytes = bytes + new.size_bytes WHERE slot = new.tier * 3 + new.state;
END;
CREATE TRIGGER memories_lived AFTER UPDATE OF life ON memories WHEN old.life <> new.life BEGIN
    UPDATE counters SET items = items + ((new.life & ~old.life) >> 1 & 1) WHERE slot = 10;
    UPDATE counters SET items = items + ((new.life & ~old.life) & 1) WHERE slot = 11;
END;
-- One trigger for both: SQLite does not guarantee an order of triggers, and old words must be removed before new ones are added.
CREATE TRIGGER memories_reindexed AFTER UPDATE OF content, texts, state, withheld, sealed_content ON memories
WHEN old.content <> new.content OR old.texts IS NOT new.texts OR (old.state = 2) <> (new.state = 2) OR (old.withheld = 0) <> (new.withheld = 0)
    OR (old.sealed_content IS NULL) <> (new.sealed_content IS NULL) BEGIN
    INSERT INTO search (search, rowid, content) SELECT 'delete', old.seq, old.content || coalesce(char(10) || old.texts, '')
    WHERE old.state <> 2 AND old.withheld = 0 AND old.sealed_content IS NULL;
    INSERT INTO search (rowid, content) SELECT new.seq, new.content || coalesce(char(10) || new.texts, '')
    WHERE new.state <> 2 AND new.withheld = 0 AND new.sealed_content IS NULL;
END;
CREATE TRIGGER memories_erased AFTER DELETE ON memories BEGIN
    UPDATE counters SET items = items - 1, bytes = bytes - old.size_bytes WHERE slot = old.tier * 3 + old.state;
    UPDATE counters SET items = items + 1 WHERE slot = 10 AND NOT old.life & 2;
END;
CREATE TRIGGER memories_erased_unindexed AFTER DELETE ON memories
WHEN old.state <> 2 AND old.withheld = 0 AND old.sealed_content IS NULL BEGIN
    INSERT INTO search (search, rowid, content) 
    VALUES ('delete', old.seq, old.content || coalesce(char(10) || old.texts, ''));
END;

-- Blobs of attachments, whose bytes are outside of the vault. state: 0 staged, 1 stored, 2 condemned.
-- sealed: whether the sensitive key encrypts it; equal bytes are stored once per key. staged_at: start of the upload.
CREATE TABLE blobs (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    sealed INTEGER NOT NULL,
    staged_at INTEGER NOT NULL,
    sha256 BLOB,
    size_bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX blobs_content ON blobs (sha256, sealed) WHERE state = 1;

-- Attachments: name and type of a blob. hung: whether it was ever attached to a memory.
CREATE TABLE attachments (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    blob INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    hung INTEGER NOT NULL,
    uploader TEXT NOT NULL,
    media_type TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;

-- The memories of attachments.
CREATE TABLE attached (
    memory INTEGER NOT NULL,
    attachment INTEGER NOT NULL,
    PRIMARY KEY (memory, attachment)
) STRICT, WITHOUT ROWID;

-- Erasing the last memory of an attachment deletes the attachment, and deleting the last attachment condemns its blob.
CREATE TRIGGER attached_hung AFTER INSERT ON attached BEGIN
    UPDATE attachments SET hung = 1 WHERE no = new.attachment AND hung = 0;
END;
CREATE TRIGGER memories_erased_detached AFTER DELETE ON memories BEGIN
    DELETE FROM attached WHERE memory = old.seq;
END;
CREATE TRIGGER attached_gone AFTER DELETE ON attached BEGIN
    DELETE FROM attachments
    WHERE no = old.attachment AND NOT EXISTS (SELECT 1 FROM attached WHERE attachment = old.attachment);
END;
CREATE TRIGGER attachments_gone AFTER DELETE ON attachments BEGIN
    UPDATE blobs SET state = 2, sha256 = NULL
    WHERE no = old.blob AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = old.blob);
END;
-- If an attachment gets another blob, the old blob is condemned like that of a deleted attachment.
CREATE TRIGGER attachments_moved AFTER UPDATE OF blob ON attachments WHEN old.blob <> new.blob BEGIN
    UPDATE blobs SET state = 2, sha256 = NULL
    WHERE no = old.blob AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = old.blob);
END;

-- Tables that depend on memories, each declared once in core/src/tables. A row is deleted with the memories that it is about.
{declared tables}
-- Goals. body: the whole goal as JSON.
CREATE TABLE goals (
    id BLOB PRIMARY KEY,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Meditation runs. asked: JSON of a caller's limits for the run, NULL for none. steps: JSON array of names. tiers: JSON array of
-- summaries. Column names avoid "full" and "trigger", which are SQL keywords.
CREATE TABLE meditations (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    status TEXT NOT NULL,
    started_by TEXT NOT NULL,
    scores_all INTEGER NOT NULL,
    asked TEXT,
    steps TEXT NOT NULL,
    processed INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    pruned INTEGER NOT NULL,
    archived_bytes INTEGER NOT NULL,
    pruned_bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    as_of INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    expected_plan TEXT,
    error TEXT,
    tiers TEXT NOT NULL,
    scoring_version TEXT NOT NULL
) STRICT;
CREATE INDEX meditations_waiting ON meditations (no) WHERE status = 'scheduled';

-- Decisions of runs: ids and numbers, no text. One row per subject of a decision; the other columns are the same in all of them.
-- body: a JSON object of numbers. Rows outlive their subjects.
CREATE TABLE decisions (
    meditation INTEGER NOT NULL REFERENCES meditations (no) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    part INTEGER NOT NULL,
    subject BLOB NOT NULL,
    seq INTEGER NOT NULL,
    step TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    body TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (meditation, position, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_subject ON decisions (subject);

-- Bytes erased by the system per day since 1970.
CREATE TABLE pruned (
    day INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL
) STRICT;

-- Answers stored for replays, by request id, without content.
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Audit: ids and numbers only, in a chain. hash: SHA-256 over the previous entry and this one (kimberly-core, audit/chain.rs).
-- refused: the reason if the call was refused. Numbers have no gaps.
CREATE TABLE audit (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    refused TEXT,
    subject TEXT,
    count INTEGER NOT NULL,
    hash BLOB
) STRICT;

-- Entries with the numbers from first to last, packed by kimberly-core and compressed with zstd. Later ones are rows of audit.
CREATE TABLE audit_segments (
    first INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    entries BLOB NOT NULL
) STRICT;

-- Jobs waiting for the relay. Positions are never reused, so that a late relay cannot remove another row.
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id BLOB NOT NULL,
    job TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    traceparent TEXT
) STRICT;

-- Changes of memories, oldest first, without content. Rows outlive the memories. Only the oldest rows are removed, and never the
-- last one, so that numbers have no gaps and are never reused. kind and reason: positions in the orders that kimberly-core fixes.
-- revision: 0 once the memory is erased.
CREATE TABLE changes (
    no INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    reason INTEGER,
    revision INTEGER NOT NULL,
    at INTEGER NOT NULL,
    memory_id BLOB NOT NULL
) STRICT;

-- Imported items, and how many of them were refused, by the caller's id of the import.
CREATE TABLE imports (
    id TEXT PRIMARY KEY,
    done INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- State of the user's vectors, which are stored elsewhere. waiting: a job for the embedder is queued. asked_at: when the user asked
-- not to wait for the window; NULL once done. rebuild: all vectors must be dropped first. The rest is the result of the last sync.
CREATE TABLE embedding (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    waiting INTEGER NOT NULL,
    rebuild INTEGER NOT NULL,
    asked_at INTEGER,
    synced_at INTEGER,
    needed INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
INSERT INTO embedding (only, waiting, rebuild, needed, missing, failed, version) VALUES (1, 0, 0, 0, 0, 0, 0);

-- Vectors computed per day since 1970. Days that no limit needs any more are removed.
CREATE TABLE embedded (
    day INTEGER PRIMARY KEY,
    vectors INTEGER NOT NULL
) STRICT;
