-- When a change was scanned, which change it takes back, what finds changes over all products, and how many keys are kept.
--
-- Portable but for the triggers.

-- Without a reference from `undoes` to `id`: both are changes of one product, with which they go, and the check of a
-- reference would ask for an index of all changes.
ALTER TABLE level_changes ADD COLUMN scanned_at TEXT;
ALTER TABLE level_changes ADD COLUMN undoes BIGINT;

CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at);
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at);

-- The latest time of a product's changes: when it was scanned, or else written. NULL where nothing has changed since
-- this column is there; then it is the time of the newest change.
ALTER TABLE levels ADD COLUMN changed_at TEXT;

-- With all that a page of low levels is counted by: SQLite reads the rows of those that the index says are low.
DROP INDEX levels_low;
CREATE INDEX levels_low ON levels (product_id, current_level, minimum_level) WHERE current_level <= minimum_level;

-- How many keys there are: to count them would take a second where there are millions.
CREATE TABLE idempotency_key_count (
    kept BIGINT NOT NULL
);

INSERT INTO idempotency_key_count (kept) SELECT COUNT(*) FROM idempotency_keys;

CREATE TRIGGER count_kept_key AFTER INSERT ON idempotency_keys
BEGIN
    UPDATE idempotency_key_count SET kept = kept + 1;
END;

CREATE TRIGGER count_forgotten_key AFTER DELETE ON idempotency_keys
BEGIN
    UPDATE idempotency_key_count SET kept = kept - 1;
END;
