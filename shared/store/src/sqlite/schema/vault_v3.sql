-- What embedding needs to know of a user.

-- What is known of the user's vectors, which lie outside. waiting: a job for the embedder is on its way. asked_at: when
-- the user asked not to wait for the window, until that is done. anew: all are to be dropped first. The rest is what the
-- last sync left.
CREATE TABLE embedding (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    waiting INTEGER NOT NULL,
    anew INTEGER NOT NULL,
    asked_at INTEGER,
    synced_at INTEGER,
    needed INTEGER NOT NULL,
    missing INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;
INSERT INTO embedding (only, waiting, anew, needed, missing, failed, version) VALUES (1, 0, 0, 0, 0, 0, 0);

-- Vectors computed per day since 1970; what no limit looks at any more is removed.
CREATE TABLE embedded (
    day INTEGER PRIMARY KEY,
    vectors INTEGER NOT NULL
) STRICT;
