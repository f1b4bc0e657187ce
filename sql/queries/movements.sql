-- Movements: changes of levels. A level and its movement are always written in one transaction.

-- part: locked
-- The level is locked before the movement is computed from it. MATERIALIZED applies the conditions after the lock: a level
-- that they refuse is locked too, so the error reports the level that they saw.
WITH locked AS MATERIALIZED (
    SELECT product_id, current_level, changed_at FROM levels WHERE product_id = :product_id {lock}
)

-- part: insert_movement
INSERT INTO movements (product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes)

-- part: returned_movement
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes,
          (SELECT product_code FROM products WHERE products.id = product_id) AS product_code,
          (SELECT unit_of_measure FROM products WHERE products.id = product_id) AS unit_of_measure

-- part: latest_time
(SELECT updated_at FROM movements WHERE product_id = :product_id ORDER BY id DESC LIMIT 1)

-- part: previous_time
(SELECT updated_at FROM movements WHERE product_id = :product_id ORDER BY id DESC LIMIT 1 OFFSET 1)

-- part: listed_columns
SELECT made.id, made.product_id, made.old_level, made.new_level, made.change_reason, made.updated_by, made.updated_at,
       made.scanned_at, made.undoes, undoing.id, made.import_id, products.product_code, products.description

-- part: made
-- Movements with product, and with the movement that undid each.
movements AS made
CROSS JOIN products
LEFT JOIN movements AS undoing ON undoing.undoes = made.id

-- part: listed_movements
-- Within times, and by one author and of one import unless these are NULL.
{listed_columns}
FROM {made}
WHERE products.id = made.product_id
  AND made.updated_at >= :from_time
  AND made.updated_at <= :to_time
  AND (CAST(:updated_by AS TEXT) IS NULL OR made.updated_by = :updated_by)
  AND (CAST(:import_id AS BIGINT) IS NULL OR made.import_id = :import_id)

-- part: listed_page
-- The movements whose ids are in `page (id)`, newest first.
{listed_columns}
FROM page
CROSS JOIN {made}
WHERE made.id = page.id AND products.id = made.product_id
ORDER BY made.updated_at DESC, made.id DESC

-- name: insert_setting(product_id, new_level, expected_level, change_reason, updated_by, now, scanned_at)^
-- Writes nothing and returns no row if the stored level is not the expected one.
{locked}
{insert_movement}
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now, :scanned_at, NULL
FROM locked
WHERE CAST(:expected_level AS BIGINT) IS NULL OR current_level = :expected_level
{returned_movement};

-- name: insert_adjustment(product_id, delta, greatest_level, change_reason, updated_by, now, scanned_at)^
-- Writes nothing and returns no row if the level would leave its range.
{locked}
{insert_movement}
SELECT product_id, current_level, current_level + :delta, :change_reason, :updated_by, :now, :scanned_at, NULL
FROM locked
WHERE current_level + :delta BETWEEN 0 AND :greatest_level
{returned_movement};

-- name: insert_count(product_id, new_level, change_reason, updated_by, now, scanned_at)^
-- Writes nothing and returns no row if the level has changed since the scan.
{locked}
{insert_movement}
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now, :scanned_at, NULL
FROM locked
WHERE CAST(:scanned_at AS TEXT) IS NULL OR COALESCE(changed_at, {latest_time}, '') <= :scanned_at
{returned_movement};

-- name: insert_undo(movement_id, written_at, greatest_level, change_reason, updated_by, now, scanned_at)^
-- Writes nothing and returns no row if the movement was written at another time than :written_at, if it is undone already,
-- or if the level would leave its range.
WITH locked AS MATERIALIZED (
    SELECT product_id, current_level
    FROM levels
    WHERE product_id = (SELECT product_id FROM movements WHERE id = :movement_id) {lock}
)
{insert_movement}
SELECT locked.product_id, current_level, current_level + undone.old_level - undone.new_level, :change_reason, :updated_by,
       :now, :scanned_at, undone.id
FROM movements AS undone
CROSS JOIN locked
WHERE undone.id = :movement_id
  AND (CAST(:written_at AS TEXT) IS NULL OR undone.updated_at = :written_at)
  AND NOT EXISTS (SELECT 1 FROM movements AS undoing WHERE undoing.undoes = :movement_id)
  AND current_level + undone.old_level - undone.new_level BETWEEN 0 AND :greatest_level
{returned_movement};

-- name: insert_first_movement(product_id, level, change_reason, updated_by, now)!
INSERT INTO movements (product_id, old_level, new_level, change_reason, updated_by, updated_at)
VALUES (:product_id, 0, :level, :change_reason, :updated_by, :now);

-- name: set_level(product_id, new_level, updated_by, now, changed_at)!
-- Runs after the movement is written. If no latest time is known, it is that of the previous movement.
UPDATE levels
SET current_level = :new_level,
    last_updated = :now,
    updated_by = :updated_by,
    changed_at = CASE
        WHEN changed_at > :changed_at THEN changed_at
        WHEN changed_at IS NULL AND :changed_at < {previous_time} THEN {previous_time}
        ELSE :changed_at
    END
WHERE product_id = :product_id;

-- name: lock_levels(wanted)
-- In the order of product ids, in whatever order the levels are changed afterwards. :wanted is a JSON array of ids.
SELECT product_id
FROM levels
WHERE product_id IN (SELECT CAST(value AS BIGINT) FROM {wanted})
ORDER BY product_id
{lock};

-- name: get_latest_movement(product_id)^
-- The time of the latest movement: when it was scanned, or else written.
SELECT COALESCE(changed_at, {latest_time}) AS changed_at
FROM levels
WHERE product_id = :product_id;

-- name: get_movement(id)^
SELECT made.product_id, made.old_level, made.new_level, made.updated_at, undoing.id
FROM movements AS made
LEFT JOIN movements AS undoing ON undoing.undoes = made.id
WHERE made.id = :id;

-- name: time_of_movement(id)^
-- When the movement was written, or the one before it if it is deleted.
SELECT updated_at FROM movements WHERE id <= :id ORDER BY id DESC LIMIT 1;

-- name: list_movements(product_id, updated_by, import_id, from_time, to_time, before, limit)
-- The movements of one product, the last written first.
{listed_movements}
  AND made.product_id = :product_id
  AND made.id < :before
ORDER BY made.id DESC
LIMIT :limit;

-- name: list_movements_after(product_id, updated_by, import_id, from_time, to_time, after, limit)
-- The movements of one product, in the order in which they were written.
{listed_movements}
  AND made.product_id = :product_id
  AND made.id > :after
ORDER BY made.id
LIMIT :limit;

-- name: list_movements_of_import(updated_by, import_id, from_time, to_time, before, limit)
-- The movements of one import, the last written first: all have the same time.
{listed_movements}
  AND made.import_id = :import_id
  AND made.id < :before
ORDER BY made.id DESC
LIMIT :limit;

-- name: list_movements_of_import_after(updated_by, import_id, from_time, to_time, after, limit)
-- The movements of one import, in the order in which they were written.
{listed_movements}
  AND made.import_id = :import_id
  AND made.id > :after
ORDER BY made.id
LIMIT :limit;

-- name: list_all_movements_after(updated_by, import_id, from_time, to_time, after, limit)
-- The movements of all products, in the order in which they were written.
{listed_movements}
  AND made.id > :after
ORDER BY made.id
LIMIT :limit;
