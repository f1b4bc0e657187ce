ALTER TABLE movements RENAME CONSTRAINT level_changes_product_id_fkey TO movements_product_id_fkey;
ALTER INDEX level_changes_pkey RENAME TO movements_pkey;
ALTER INDEX level_changes_by_product RENAME TO movements_by_product;
ALTER INDEX level_changes_by_undone RENAME TO movements_by_undone;
ALTER INDEX level_changes_by_time RENAME TO movements_by_time;
ALTER INDEX level_changes_by_author RENAME TO movements_by_author;
ALTER SEQUENCE level_changes_id_seq RENAME TO movements_id_seq;

-- The number of keys is not estimated any more.
ALTER TABLE idempotency_keys RESET (autovacuum_analyze_scale_factor);
