-- Counts and the clearing of keys, as far as engines differ in them: here nobody else writes meanwhile.

-- name: insert_adjustment(product_id, delta, greatest_level, change_reason, updated_by, now, scanned_at, undoes)^
-- Nothing is written, and no row comes back, where the level would leave its range.
INSERT INTO level_changes (
    product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes
)
SELECT product_id, current_level, current_level + :delta, :change_reason, :updated_by, :now, :scanned_at, :undoes
FROM levels
WHERE product_id = :product_id
  AND current_level + :delta BETWEEN 0 AND :greatest_level
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: insert_count(product_id, new_level, change_reason, updated_by, now, scanned_at)^
-- Nothing is written, and no row comes back, where the level has changed since it was scanned.
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at)
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now, :scanned_at
FROM levels
WHERE product_id = :product_id
  AND (
      CAST(:scanned_at AS TEXT) IS NULL
      OR COALESCE(
          changed_at,
          (SELECT updated_at FROM level_changes WHERE product_id = :product_id ORDER BY id DESC LIMIT 1),
          ''
      ) <= :scanned_at
  )
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: forget_answers(expired, limit)!
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    WHERE used_at <= :expired
    ORDER BY used_at
    LIMIT :limit
);

-- name: forget_surplus(most, limit)!
-- Of more keys than that the oldest.
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    ORDER BY used_at
    LIMIT (
        SELECT CASE WHEN kept <= :most THEN 0 WHEN kept - :most < :limit THEN kept - :most ELSE :limit END
        FROM idempotency_key_count
    )
);

-- name: lock_levels(ids)!
-- Nothing: a transaction that writes has all of the file.
SELECT 1 WHERE :ids IS NULL;
