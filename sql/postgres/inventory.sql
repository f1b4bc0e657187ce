-- The change of a level: here others write meanwhile, so the level is locked first (see adjustments.sql).

-- name: insert_change(product_id, new_level, expected_level, change_reason, updated_by, now)^
-- Nothing is written, and no row comes back, where the stored level is not the expected one.
WITH locked AS MATERIALIZED (
    SELECT product_id, current_level FROM levels WHERE product_id = :product_id FOR NO KEY UPDATE
)
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now
FROM locked
WHERE CAST(:expected_level AS BIGINT) IS NULL OR current_level = :expected_level
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: list_recent_changes(from_time, before_time, before, limit)
-- Over all products, by their time of writing. Where to go on is a bound of the index.
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, products.product_code, products.description
FROM level_changes AS made
JOIN products ON products.id = made.product_id
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.updated_at >= :from_time AND (made.updated_at, made.id) < (:before_time, :before)
ORDER BY made.updated_at DESC, made.id DESC
LIMIT :limit;

-- name: list_changes_by_author(updated_by, from_time, before_time, before, limit)
-- The same of one author.
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, products.product_code, products.description
FROM level_changes AS made
JOIN products ON products.id = made.product_id
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.updated_by = :updated_by
  AND made.updated_at >= :from_time AND (made.updated_at, made.id) < (:before_time, :before)
ORDER BY made.updated_at DESC, made.id DESC
LIMIT :limit;
