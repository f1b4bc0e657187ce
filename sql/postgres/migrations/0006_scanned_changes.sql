-- When a change was scanned, which change it undoes, and indexes for the changes of all products.

-- `undoes` is not a foreign key: both changes belong to one product and are deleted with it, and checking a foreign key
-- would need an index of all changes.
ALTER TABLE level_changes ADD COLUMN scanned_at TEXT COLLATE "C";
ALTER TABLE level_changes ADD COLUMN undoes BIGINT;

CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at, id);
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at, id);

-- The time of a product's latest change: when it was scanned, or else written. NULL if nothing has changed since this
-- column was added; then it is the time of the newest change.
ALTER TABLE levels ADD COLUMN changed_at TEXT COLLATE "C";
