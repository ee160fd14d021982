-- Sensitive memories are sealed once more, under keys of their user that the key of the pages does not open.

-- What stands here stands in place of content, attributes and channels, which are then '' and NULL: see
-- kimberly-crypto, seal.rs. Sealed is what has sealed_content. Memories from before are sealed one after the other by
-- whoever holds the keys.
ALTER TABLE memories ADD COLUMN sealed_content BLOB;
ALTER TABLE memories ADD COLUMN sealed_attributes BLOB;
ALTER TABLE memories ADD COLUMN sealed_channels BLOB;
CREATE INDEX memories_sealed ON memories (seq) WHERE sealed_content IS NOT NULL;
CREATE INDEX memories_unsealed ON memories (seq) WHERE sensitive = 1 AND sealed_content IS NULL;

-- The full-text index holds every memory that is neither deleted nor withheld nor sealed.
DROP TRIGGER memories_reindexed;
DROP TRIGGER memories_erased_unindexed;
DROP VIEW searchable;
CREATE VIEW searchable (seq, content) AS
SELECT seq, content FROM memories WHERE state <> 2 AND withheld = 0 AND sealed_content IS NULL;

-- One trigger for both: SQLite does not promise the order of two, and the old words must go before the new ones come.
CREATE TRIGGER memories_reindexed AFTER UPDATE OF content, state, withheld, sealed_content ON memories
WHEN old.content <> new.content OR (old.state = 2) <> (new.state = 2) OR (old.withheld = 0) <> (new.withheld = 0)
    OR (old.sealed_content IS NULL) <> (new.sealed_content IS NULL) BEGIN
    INSERT INTO search (search, rowid, content) SELECT 'delete', old.seq, old.content
    WHERE old.state <> 2 AND old.withheld = 0 AND old.sealed_content IS NULL;
    INSERT INTO search (rowid, content) SELECT new.seq, new.content
    WHERE new.state <> 2 AND new.withheld = 0 AND new.sealed_content IS NULL;
END;
CREATE TRIGGER memories_erased_unindexed AFTER DELETE ON memories
WHEN old.state <> 2 AND old.withheld = 0 AND old.sealed_content IS NULL BEGIN
    INSERT INTO search (search, rowid, content) VALUES ('delete', old.seq, old.content);
END;
