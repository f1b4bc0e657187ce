-- Counts and the clearing of keys, as far as engines differ in them: here others write meanwhile, on any replica. What a
-- change starts from is locked first, so that no other one starts from it as well; it is seen as it is once it is locked.
-- MATERIALIZED keeps the conditions behind the lock: a level that they refuse is locked as well, and what is then said of
-- it is what they saw.

-- name: insert_adjustment(product_id, delta, greatest_level, change_reason, updated_by, now, scanned_at, undoes)^
-- Nothing is written, and no row comes back, where the level would leave its range.
WITH locked AS MATERIALIZED (
    SELECT product_id, current_level FROM levels WHERE product_id = :product_id FOR NO KEY UPDATE
)
INSERT INTO level_changes (
    product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes
)
SELECT product_id, current_level, current_level + :delta, :change_reason, :updated_by, :now, :scanned_at, :undoes
FROM locked
WHERE current_level + :delta BETWEEN 0 AND :greatest_level
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: insert_count(product_id, new_level, change_reason, updated_by, now, scanned_at)^
-- Nothing is written, and no row comes back, where the level has changed since it was scanned.
WITH locked AS MATERIALIZED (
    SELECT product_id, current_level, changed_at FROM levels WHERE product_id = :product_id FOR NO KEY UPDATE
)
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at)
SELECT product_id, current_level, :new_level, :change_reason, :updated_by, :now, :scanned_at
FROM locked
WHERE CAST(:scanned_at AS TEXT) IS NULL
   OR COALESCE(
       changed_at,
       (SELECT updated_at FROM level_changes WHERE product_id = :product_id ORDER BY id DESC LIMIT 1),
       ''
   ) <= :scanned_at
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: forget_answers(expired, limit)!
-- What another connection forgets just now is left to it.
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    WHERE used_at <= :expired
    ORDER BY used_at
    LIMIT :limit
    FOR UPDATE SKIP LOCKED
);

-- name: forget_surplus(most, limit)!
-- Of more keys than that the oldest. How many there are is what the server's statistics say: a counter would make all
-- changes wait for each other. ANALYZE's count is the cheap one and comes first, but it is as old as the last ANALYZE:
-- by it alone keys would go on going. The running count follows within seconds, and begins at 0 after a crash.
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    ORDER BY used_at
    LIMIT (
        SELECT CASE
            WHEN reltuples > CAST(:most AS BIGINT)
            THEN LEAST(GREATEST(pg_stat_get_live_tuples(oid) - CAST(:most AS BIGINT), 0), CAST(:limit AS BIGINT))
            ELSE 0
        END
        FROM pg_class
        WHERE oid = CAST('idempotency_keys' AS REGCLASS)
    )
    FOR UPDATE SKIP LOCKED
);

-- name: lock_levels(ids)!
-- In the order of their products, whatever the order in which they are changed behind it. :ids is a JSON array.
SELECT product_id
FROM levels
WHERE product_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(:ids AS JSON)) AS wanted (value))
ORDER BY product_id
FOR NO KEY UPDATE;
