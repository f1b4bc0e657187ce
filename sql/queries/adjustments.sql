-- Counts by difference, and the keys under which their answers are kept. All of one count is one transaction.

-- name: insert_adjustment(product_id, delta, greatest_level, change_reason, updated_by, now)^
-- Nothing is written, and no row comes back, where the level would leave its range.
INSERT INTO level_changes (product_id, old_level, new_level, change_reason, updated_by, updated_at)
SELECT product_id, current_level, current_level + :delta, :change_reason, :updated_by, :now
FROM levels
WHERE product_id = :product_id
  AND current_level + :delta BETWEEN 0 AND :greatest_level
RETURNING id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes;

-- name: get_kept_answer(idempotency_key, expired)^
SELECT used_for, used_at, fingerprint, answer
FROM idempotency_keys
WHERE idempotency_key = :idempotency_key AND used_at > :expired;

-- name: keep_answer(idempotency_key, used_for, fingerprint, answer, now)!
-- A key that is still there although it has expired is taken over.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES (:idempotency_key, :used_for, :fingerprint, :answer, :now)
ON CONFLICT (idempotency_key) DO UPDATE
SET used_for = excluded.used_for,
    fingerprint = excluded.fingerprint,
    answer = excluded.answer,
    used_at = excluded.used_at;

-- name: forget_answers(expired, limit)!
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    WHERE used_at <= :expired
    ORDER BY used_at
    LIMIT :limit
);
