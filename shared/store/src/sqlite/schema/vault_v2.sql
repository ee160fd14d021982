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
