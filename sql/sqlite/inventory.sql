-- The change of a level: here nobody else writes meanwhile.

-- name: insert_change(product_id, new_level, expected_level, change_reason, updated_by, now)^
-- Nothing is written, and no row comes back, where the stored level is not the expected one.
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now
FROM levels
WHERE product_id = :product_id
  AND (CAST(:expected_level AS BIGINT) IS NULL OR current_level = :expected_level)
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;
