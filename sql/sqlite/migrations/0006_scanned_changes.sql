-- When a change was scanned, which change it undoes, indexes for the changes of all products, and the number of keys.

-- `undoes` is not a foreign key: both changes belong to one product and are deleted with it, and checking a foreign key
-- would need an index of all changes.
ALTER TABLE level_changes ADD COLUMN scanned_at TEXT;
ALTER TABLE level_changes ADD COLUMN undoes BIGINT;

CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at);
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at);

-- The time of a product's latest change: when it was scanned, or else written. NULL if nothing has changed since this
-- column was added; then it is the time of the newest change.
ALTER TABLE levels ADD COLUMN changed_at TEXT;

-- With all columns that count a page of low levels, so that SQLite does not read their rows.
DROP INDEX levels_low;
CREATE INDEX levels_low ON levels (product_id, current_level, minimum_level) WHERE current_level <= minimum_level;

-- The number of keys: counting millions of them would take a second.
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
