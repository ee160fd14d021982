-- Attachments of sensitive memories under a key of their own.

-- sealed: whether the bytes lie under the sensitive key. Equal ones are kept once under each key.
ALTER TABLE blobs ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
DROP INDEX blobs_content;
CREATE UNIQUE INDEX blobs_content ON blobs (sha256, sealed) WHERE state = 1;

-- What an attachment had before it was put over other bytes goes like what it has when it goes.
CREATE TRIGGER attachments_moved AFTER UPDATE OF blob ON attachments WHEN old.blob <> new.blob BEGIN
    UPDATE blobs SET state = 2, sha256 = NULL
    WHERE no = old.blob AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = old.blob);
END;
