-- The change of a level: here nobody else writes meanwhile. And lists of changes, by an index that ends with the rowid.

-- name: insert_change(product_id, new_level, expected_level, change_reason, updated_by, now)^
-- Nothing is written, and no row comes back, where the stored level is not the expected one.
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now
FROM levels
WHERE product_id = :product_id
  AND (CAST(:expected_level AS BIGINT) IS NULL OR current_level = :expected_level)
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: list_recent_changes(from_time, before_time, before, limit)
-- Over all products, by their time of writing. Where to go on is a bound of the index, also among the many changes that an
-- import makes in one millisecond. Only the page is sorted.
WITH older (updated_at, id) AS (
    SELECT updated_at, id
    FROM level_changes
    WHERE updated_at = :before_time AND id < :before AND :from_time <= :before_time
    UNION ALL
    SELECT updated_at, id
    FROM level_changes
    WHERE updated_at >= :from_time AND updated_at < :before_time
    ORDER BY updated_at DESC, id DESC
    LIMIT :limit
)
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, products.product_code, products.description
FROM older
CROSS JOIN level_changes AS made
CROSS JOIN products
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.id = older.id AND products.id = made.product_id
ORDER BY made.updated_at DESC, made.id DESC;

-- name: list_changes_by_author(updated_by, from_time, before_time, before, limit)
-- The same of one author.
WITH older (updated_at, id) AS (
    SELECT updated_at, id
    FROM level_changes
    WHERE updated_by = :updated_by AND updated_at = :before_time AND id < :before AND :from_time <= :before_time
    UNION ALL
    SELECT updated_at, id
    FROM level_changes
    WHERE updated_by = :updated_by AND updated_at >= :from_time AND updated_at < :before_time
    ORDER BY updated_at DESC, id DESC
    LIMIT :limit
)
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, products.product_code, products.description
FROM older
CROSS JOIN level_changes AS made
CROSS JOIN products
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.id = older.id AND products.id = made.product_id
ORDER BY made.updated_at DESC, made.id DESC;
