-- The audit becomes a chain.

-- SHA-256 over the entry before and this one (kimberly-core, audit/chain.rs), and why it was refused. Numbers have no
-- gaps. Entries from before are linked by the step that follows.
ALTER TABLE audit ADD COLUMN refused TEXT;
ALTER TABLE audit ADD COLUMN hash BLOB;

-- The last entry that was pruned, if one was.
ALTER TABLE vault ADD COLUMN audit_pruned INTEGER;
ALTER TABLE vault ADD COLUMN audit_pruned_hash BLOB;

-- Slot 15: the number of the last entry, apart from the entries, so that those cut off the end are missed.
INSERT INTO counters (slot, items, bytes) SELECT 15, coalesce(max(no), 0), 0 FROM audit;
