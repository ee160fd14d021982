-- What a user agreed to, and the parts that a vault is divided into. The table of memories is made anew, so that what
-- every read looks at stands in front of long content.

-- Namespaces but the default one, whose number is 0.
CREATE TABLE namespaces (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Records of consent; body is the whole record as JSON.
CREATE TABLE consents (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    granted_at INTEGER NOT NULL,
    expires_at INTEGER,
    retracted_at INTEGER,
    body TEXT NOT NULL
) STRICT;

-- Sensitive memories were stored with a mere flag so far. They come under one record, which can be retracted like any
-- other and allows nothing new: it ends with the newest of them. Its id is a UUID version 7 of that time.
INSERT INTO consents (no, id, granted_at, expires_at, body)
SELECT 1, unhex(hex), granted_at, expires_at, json_object(
    'id', 'con_' || substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-' || substr(hex, 13, 4) || '-' ||
        substr(hex, 17, 4) || '-' || substr(hex, 21),
    'draft', json_object(
        'purpose', 'stored before consent was recorded',
        'scope', json_object('tiers', json_array(), 'namespaces', json_array(), 'tags', json_array(),
            'session_ids', json_array()),
        'given_by', 'operator',
        'note', 'Callers vouched for the consent of each memory.',
        'expires_at', expires_at,
        'wording_sha256', NULL
    ),
    'recorded_by', 'upgrade',
    'granted_at', granted_at,
    'retracted_at', NULL,
    'retracted_by', NULL,
    'retraction', NULL,
    'revision', 1
)
FROM (
    SELECT min(created_at) AS granted_at, max(created_at) + 1 AS expires_at,
        printf('%012x7%03x8%03x%012x', max(min(created_at) / 1000, 0), random() & 4095, random() & 4095,
            random() & 281474976710655) AS hex
    FROM memories WHERE sensitive HAVING count(*) > 0
);

-- Memories. What recall and retention read comes first, so that long content costs them nothing.
-- epoch: value of counter 14 when it was last scored, -1 if something else changed since.
-- life: bit 0 was ever archived, bit 1 was ever deleted; for the totals.
-- speaker_name: how the speaker was written, if not as in `speakers`.
-- tags, channels: JSON arrays, NULL if empty. feedback: stars, 1000 for thumbs up, 1001 for thumbs down.
-- namespace: 0 for the default one. withheld: 1 hidden because its consent was retracted, 2 also to be erased.
-- consent_no: the consent record that it is stored under.
-- version: NULL for "v1". occurred_at: NULL for created_at. score_record: why the score is what it is, compact JSON.
CREATE TABLE memories_next (
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
    namespace INTEGER NOT NULL,
    withheld INTEGER NOT NULL,
    consent_no INTEGER,
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
INSERT INTO memories_next (
    seq, tier, state, session, position, speaker, occurred_at, created_at, traits, words, score, size_bytes,
    protected, sensitive, namespace, withheld, consent_no, source, scope, created_by, consent, epoch, life,
    sentiment, helpful, unhelpful, feedback, updated_at, last_seen_at, access_count, archived_at, delete_after,
    revision, schema_version, id, tags, channels, version, speaker_name, content, attributes, score_record
)
SELECT
    seq, tier, state, session, position, speaker, occurred_at, created_at, traits, words, score, size_bytes,
    protected, sensitive, 0, 0, iif(sensitive, 1, NULL), source, scope, created_by, consent, epoch, life, sentiment,
    helpful, unhelpful, feedback, updated_at, last_seen_at, access_count, archived_at, delete_after, revision,
    schema_version, id, tags, channels, version, speaker_name, content, attributes, score_record
FROM memories;
DROP VIEW searchable;
DROP TABLE memories;
ALTER TABLE memories_next RENAME TO memories;
CREATE UNIQUE INDEX memories_id ON memories (id);
CREATE INDEX memories_created ON memories (created_at);
CREATE INDEX memories_spot ON memories (session, position) WHERE session IS NOT NULL;
CREATE INDEX memories_consent ON memories (consent_no) WHERE consent_no IS NOT NULL;
CREATE INDEX memories_to_erase ON memories (withheld) WHERE withheld = 2;

-- The full-text index holds every memory that is neither deleted nor withheld.
CREATE VIEW searchable (seq, content) AS SELECT seq, content FROM memories WHERE state <> 2 AND withheld = 0;

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
CREATE TRIGGER memories_reindexed AFTER UPDATE OF content, state, withheld ON memories
WHEN old.content <> new.content OR (old.state = 2) <> (new.state = 2) OR (old.withheld = 0) <> (new.withheld = 0) BEGIN
    INSERT INTO search (search, rowid, content)
    SELECT 'delete', old.seq, old.content WHERE old.state <> 2 AND old.withheld = 0;
    INSERT INTO search (rowid, content) SELECT new.seq, new.content WHERE new.state <> 2 AND new.withheld = 0;
END;
CREATE TRIGGER memories_erased AFTER DELETE ON memories BEGIN
    UPDATE counters SET items = items - 1, bytes = bytes - old.size_bytes WHERE slot = old.tier * 3 + old.state;
    UPDATE counters SET items = items + 1 WHERE slot = 10 AND NOT old.life & 2;
END;
CREATE TRIGGER memories_erased_unindexed AFTER DELETE ON memories
WHEN old.state <> 2 AND old.withheld = 0 BEGIN
    INSERT INTO search (search, rowid, content) VALUES ('delete', old.seq, old.content);
END;
