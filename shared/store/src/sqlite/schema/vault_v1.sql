-- A vault: everything about one user. Times are microseconds since 1970 in UTC. Small closed sets (tier, state, source,
-- scope, created_by) are stored as their position in the order that kimberly-core fixes for them.

PRAGMA application_id = 0x4B4D4256; -- KMBV

-- Whose vault this is, and the user's settings as JSON; revision 0 means never written.
CREATE TABLE vault (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    user_id TEXT,
    settings TEXT,
    settings_revision INTEGER NOT NULL
) STRICT;
INSERT INTO vault (only, settings_revision) VALUES (1, 0);

-- Slots 0-8: memories by tier * 3 + state. 9: ever created, which also gives the next number. 10: ever deleted.
-- 11: ever archived. 12: changes to memories other than new ones, as far as recall sees them. 13: commits. 14: changes
-- of goals.
CREATE TABLE counters (
    slot INTEGER PRIMARY KEY,
    items INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
INSERT INTO counters (slot, items, bytes)
WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < 14)
SELECT slot, 0, 0 FROM slots;

-- Sessions. The next memory goes behind the last one, but not before `next`, which is moved only when memories leave.
CREATE TABLE sessions (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    next INTEGER NOT NULL
) STRICT;

-- Speakers, told apart without regard to case; `latest` is the number of the last memory by them, or of one up to 64
-- before it.
CREATE TABLE speakers (
    no INTEGER PRIMARY KEY,
    folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    latest INTEGER NOT NULL
) STRICT;

-- Memories. What recall and retention read comes first, so that long content costs them nothing.
-- epoch: value of counter 14 when it was last scored, -1 if something else changed since.
-- life: bit 0 was ever archived, bit 1 was ever deleted; for the totals.
-- speaker_name: how the speaker was written, if not as in `speakers`.
-- tags, channels: JSON arrays, NULL if empty. feedback: stars, 1000 for thumbs up, 1001 for thumbs down.
-- version: NULL for "v1". occurred_at: NULL for created_at. score_record: why the score is what it is, compact JSON.
CREATE TABLE memories (
    seq INTEGER PRIMARY KEY,
    tier INTEGER NOT NULL,
    state INTEGER NOT NULL,
    session INTEGER,
    position INTEGER,
    speaker INTEGER,
    occurred_at INTEGER,
    created_at INTEGER NOT NULL,
    traits INTEGER NOT NULL,
    words INTEGER NOT NULL,
    score REAL NOT NULL,
    size_bytes INTEGER NOT NULL,
    protected INTEGER NOT NULL,
    sensitive INTEGER NOT NULL,
    source INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    created_by INTEGER NOT NULL,
    consent INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    life INTEGER NOT NULL,
    sentiment REAL NOT NULL,
    helpful INTEGER NOT NULL,
    unhelpful INTEGER NOT NULL,
    feedback INTEGER,
    updated_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    archived_at INTEGER,
    delete_after INTEGER,
    revision INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    id BLOB NOT NULL,
    tags TEXT,
    channels TEXT,
    version TEXT,
    speaker_name TEXT,
    content TEXT NOT NULL,
    attributes TEXT,
    score_record TEXT
) STRICT;
CREATE UNIQUE INDEX memories_id ON memories (id);
CREATE INDEX memories_created ON memories (created_at);
CREATE INDEX memories_spot ON memories (session, position) WHERE session IS NOT NULL;

-- The full-text index holds every memory that is not deleted. The writer adds new memories once per commit; the
-- triggers below see to the rest.
CREATE VIEW searchable (seq, content) AS SELECT seq, content FROM memories WHERE state <> 2;
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
-- One trigger for both: SQLite does not promise the order of two, and the old words must go before the new ones come.
CREATE TRIGGER memories_reindexed AFTER UPDATE OF content, state ON memories
WHEN old.content <> new.content OR (old.state = 2) <> (new.state = 2) BEGIN
    INSERT INTO search (search, rowid, content) SELECT 'delete', old.seq, old.content WHERE old.state <> 2;
    INSERT INTO search (rowid, content) SELECT new.seq, new.content WHERE new.state <> 2;
END;
CREATE TRIGGER memories_erased AFTER DELETE ON memories BEGIN
    UPDATE counters SET items = items - 1, bytes = bytes - old.size_bytes WHERE slot = old.tier * 3 + old.state;
    UPDATE counters SET items = items + 1 WHERE slot = 10 AND NOT old.life & 2;
END;
CREATE TRIGGER memories_erased_unindexed AFTER DELETE ON memories WHEN old.state <> 2 BEGIN
    INSERT INTO search (search, rowid, content) VALUES ('delete', old.seq, old.content);
END;

-- Goals; body is the whole goal as JSON.
CREATE TABLE goals (
    id BLOB PRIMARY KEY,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Meditation runs. tiers: JSON array of summaries. "full" and "trigger" are words of SQL.
CREATE TABLE meditations (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    status TEXT NOT NULL,
    started_by TEXT NOT NULL,
    scores_all INTEGER NOT NULL,
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

-- What runs decided about memories; no content. Outlives the memories.
CREATE TABLE decisions (
    meditation INTEGER NOT NULL REFERENCES meditations (no) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    memory_id BLOB NOT NULL,
    seq INTEGER NOT NULL,
    action TEXT NOT NULL,
    reason TEXT NOT NULL,
    explanation TEXT NOT NULL,
    tier INTEGER NOT NULL,
    state INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    score REAL NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (meditation, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX decisions_memory ON decisions (memory_id);

-- Bytes erased by the system per day since 1970.
CREATE TABLE pruned (
    day INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL
) STRICT;

-- Answers kept for replays, by request id; without content.
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    fingerprint BLOB NOT NULL,
    answer TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was done, ids and numbers only.
CREATE TABLE audit (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    count INTEGER NOT NULL
) STRICT;

-- Jobs waiting for the relay. Positions are never used again: a relay that comes late must not remove another's row.
CREATE TABLE outbox (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id BLOB NOT NULL,
    job TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    traceparent TEXT
) STRICT;
