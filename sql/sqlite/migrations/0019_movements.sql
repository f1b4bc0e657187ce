-- Keys are not counted any more. SQLite cannot rename an index.

DROP TRIGGER count_kept_key;
DROP TRIGGER count_forgotten_key;
DROP TABLE idempotency_key_count;

DROP INDEX level_changes_by_product;
DROP INDEX level_changes_by_undone;
DROP INDEX level_changes_by_time;
DROP INDEX level_changes_by_author;

CREATE INDEX movements_by_product ON movements (product_id, id);
CREATE UNIQUE INDEX movements_by_undone ON movements (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX movements_by_time ON movements (updated_at);
CREATE INDEX movements_by_author ON movements (updated_by, updated_at);
