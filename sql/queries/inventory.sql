-- Levels and their history. A level and its history entry are always written in one transaction.
-- Whole lists come out of an index in their order, so that none is sorted.

-- name: list_levels(limit)
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
FROM levels
JOIN products ON products.id = levels.product_id
ORDER BY levels.product_id
LIMIT :limit;

-- name: list_low_levels(limit)
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
FROM levels
JOIN products ON products.id = levels.product_id
WHERE levels.current_level <= levels.minimum_level
ORDER BY levels.product_id
LIMIT :limit;

-- name: get_level(product_id)^
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
FROM levels
JOIN products ON products.id = levels.product_id
WHERE levels.product_id = :product_id;

-- name: insert_level(product_code, level, minimum_level, maximum_level, updated_by, now)!
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
SELECT id, :level, :minimum_level, :maximum_level, :now, :updated_by
FROM products
WHERE product_code = :product_code;

-- name: insert_first_change(product_code, level, change_reason, updated_by, now)!
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT id, 0, :level, :change_reason, :updated_by, :now
FROM products
WHERE product_code = :product_code;

-- name: set_level(product_id, new_level, updated_by, now, changed_at)!
-- Behind the change that is written already. Where no latest time is known, it is that of the change before.
UPDATE levels
SET current_level = :new_level,
    last_updated = :now,
    updated_by = :updated_by,
    changed_at = CASE
        WHEN changed_at > :changed_at THEN changed_at
        WHEN changed_at IS NULL AND :changed_at < (
            SELECT updated_at FROM level_changes WHERE product_id = :product_id ORDER BY id DESC LIMIT 1 OFFSET 1
        )
        THEN (SELECT updated_at FROM level_changes WHERE product_id = :product_id ORDER BY id DESC LIMIT 1 OFFSET 1)
        ELSE :changed_at
    END
WHERE product_id = :product_id;

-- name: set_level_bounds(product_id, minimum_level, maximum_level)!
-- A NULL leaves its column as it is.
UPDATE levels
SET minimum_level = COALESCE(:minimum_level, minimum_level),
    maximum_level = COALESCE(:maximum_level, maximum_level)
WHERE product_id = :product_id;

-- name: list_changes(product_id, updated_by, from_time, to_time, before, limit)
-- Of one product, as they were written.
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, products.product_code, products.description
FROM level_changes AS made
CROSS JOIN products
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.product_id = :product_id
  AND made.id < :before
  AND made.updated_at >= :from_time
  AND made.updated_at <= :to_time
  AND (CAST(:updated_by AS TEXT) IS NULL OR made.updated_by = :updated_by)
  AND products.id = made.product_id
ORDER BY made.id DESC
LIMIT :limit;

-- name: time_of_change(id)^
-- When the change was written, or where it is gone, the one before it.
SELECT updated_at FROM level_changes WHERE id <= :id ORDER BY id DESC LIMIT 1;

-- name: list_low_levels_page(limit, offset)
-- The total stands in front of every row, and in front of an empty one where the page lies past the end. What is
-- counted and passed over are entries of the index of low levels.
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM levels WHERE current_level <= minimum_level) AS counted
LEFT JOIN (
    SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
           levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
    FROM (
        SELECT product_id
        FROM levels
        WHERE current_level <= minimum_level
        ORDER BY product_id
        LIMIT :limit OFFSET :offset
    ) AS low
    CROSS JOIN levels
    CROSS JOIN products
    WHERE levels.product_id = low.product_id AND products.id = low.product_id
) AS page ON 1 = 1
ORDER BY page.product_id;

-- name: export_levels()
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by,
       products.category, products.unit_of_measure
FROM levels
JOIN products ON products.id = levels.product_id
ORDER BY levels.product_id;

-- name: export_changes()
SELECT level_changes.product_id, level_changes.id, products.product_code, level_changes.old_level,
       level_changes.new_level, level_changes.change_reason, level_changes.updated_by, level_changes.updated_at
FROM products
JOIN level_changes ON level_changes.product_id = products.id
ORDER BY products.id, level_changes.id;

-- name: export_levels_with_changes()
-- Each level once per change, and once with empty change columns where nothing was ever changed.
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by,
       products.category, products.unit_of_measure,
       level_changes.id, level_changes.old_level, level_changes.new_level, level_changes.change_reason,
       level_changes.updated_by, level_changes.updated_at
FROM levels
JOIN products ON products.id = levels.product_id
LEFT JOIN level_changes ON level_changes.product_id = levels.product_id
ORDER BY levels.product_id, level_changes.id;
