-- When a change was scanned, which change it takes back, and what finds changes over all products.

-- Without a reference from `undoes` to `id`: both are changes of one product, with which they go, and the check of a
-- reference would ask for an index of all changes.
ALTER TABLE level_changes ADD COLUMN scanned_at TEXT COLLATE "C";
ALTER TABLE level_changes ADD COLUMN undoes BIGINT;

CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at, id);
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at, id);

-- The latest time of a product's changes: when it was scanned, or else written. NULL where nothing has changed since
-- this column is there; then it is the time of the newest change.
ALTER TABLE levels ADD COLUMN changed_at TEXT COLLATE "C";
