-- Keys of rings, of which only ids are known here: 16 hexadecimal digits. done_at: when every key file was found to need no
-- other key of the ring than this one. removed_at: when it was found to be in the ring no more.
CREATE TABLE ring_keys (
    ring TEXT NOT NULL,
    key TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    done_at INTEGER,
    removed_at INTEGER,
    PRIMARY KEY (ring, key)
) STRICT, WITHOUT ROWID;
