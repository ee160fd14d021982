-- Whether a memory is given vectors: 0 as far as the cap allows, 1 before those others, 2 not at all. A build that does not
-- know it makes vectors of the last, too, which go with the next sync of one that does.
ALTER TABLE memories ADD COLUMN embed smallint NOT NULL DEFAULT 0;
