-- embed: whether a memory is given vectors: 0 as far as the cap allows, 1 before those others, 2 not at all. It stands behind
-- the content; 0 and 1 are read without it, as SQLite keeps them in the head of a row.
ALTER TABLE memories ADD COLUMN embed INTEGER NOT NULL DEFAULT 0;
