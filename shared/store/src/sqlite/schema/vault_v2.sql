-- What callers need to follow a vault and to move one: changes of memories, and how far imports came.

-- Changes of memories, oldest first; no content. Outlives the memories. Only the oldest rows are ever removed, and never
-- the last one, so that numbers have no gaps and are never given twice. kind and reason are positions in the orders that
-- kimberly-core fixes for them; revision is 0 once the memory is erased.
CREATE TABLE changes (
    no INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    reason INTEGER,
    revision INTEGER NOT NULL,
    at INTEGER NOT NULL,
    memory_id BLOB NOT NULL
) STRICT;

-- How many items of an import are done, and how many of these were refused, by the caller's id of the import.
CREATE TABLE imports (
    id TEXT PRIMARY KEY,
    done INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
