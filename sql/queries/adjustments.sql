-- Counts, and the keys under which their answers are kept. All of one count is one transaction.

-- name: get_latest_change(product_id)^
-- The latest time at which a level was changed: when the change was scanned, or else written.
SELECT COALESCE(
    changed_at,
    (SELECT updated_at FROM level_changes WHERE product_id = :product_id ORDER BY id DESC LIMIT 1)
) AS changed_at
FROM levels
WHERE product_id = :product_id;

-- name: get_change(id)^
SELECT made.product_id, made.old_level, made.new_level, undoing.id
FROM level_changes AS made
LEFT JOIN level_changes AS undoing ON undoing.undoes = made.id
WHERE made.id = :id;

-- name: get_kept_answer(idempotency_key, expired)^
SELECT used_for, used_at, fingerprint, answer
FROM idempotency_keys
WHERE idempotency_key = :idempotency_key AND used_at > :expired;

-- name: keep_answer(idempotency_key, used_for, fingerprint, answer, now, expired)!
-- A key that is still there although it has expired is taken over. Nothing is written where it counts: then another
-- connection has answered the same send meanwhile.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES (:idempotency_key, :used_for, :fingerprint, :answer, :now)
ON CONFLICT (idempotency_key) DO UPDATE
SET used_for = excluded.used_for,
    fingerprint = excluded.fingerprint,
    answer = excluded.answer,
    used_at = excluded.used_at
WHERE idempotency_keys.used_at <= :expired;
