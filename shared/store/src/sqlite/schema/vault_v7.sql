-- Bytes of attachments, equal ones once; they lie outside of the vault. state: 0 they are coming, 1 they are there, 2 they
-- are to be removed. staged_at: when they began to come.
CREATE TABLE blobs (
    no INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    staged_at INTEGER NOT NULL,
    sha256 BLOB,
    size_bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX blobs_content ON blobs (sha256) WHERE state = 1;
CREATE INDEX blobs_pending ON blobs (state, staged_at) WHERE state <> 1;

-- Attachments: names and types over bytes. hung: whether it ever hung on a memory.
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
CREATE INDEX attachments_blob ON attachments (blob);
CREATE INDEX attachments_created ON attachments (created_at, id);
CREATE INDEX attachments_waiting ON attachments (created_at) WHERE hung = 0;

-- Which memories they hang on.
CREATE TABLE attached (
    memory INTEGER NOT NULL,
    attachment INTEGER NOT NULL,
    PRIMARY KEY (memory, attachment)
) STRICT, WITHOUT ROWID;
CREATE INDEX attached_attachment ON attached (attachment);

-- Whatever erases the last memory takes the attachment along, and the last attachment its bytes.
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
