-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) FROM schema_version;

-- name: try_to_write(text)!
-- More than a usual change writes, under a key that no client can send, and that has expired.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES ('', '', '', :text, '')
ON CONFLICT (idempotency_key) DO UPDATE SET answer = excluded.answer;

-- name: forget_try()!
DELETE FROM idempotency_keys WHERE idempotency_key = '';

-- name: last_change()^
-- What tells which of two databases is the newer one.
SELECT
    (
        SELECT COALESCE(MAX(changed_at), '')
        FROM (
            SELECT MAX(updated_at) AS changed_at FROM products
            UNION ALL
            SELECT MAX(last_updated) FROM levels
            UNION ALL
            SELECT MAX(updated_at) FROM level_changes
        ) AS changes
    ),
    (SELECT COUNT(*) FROM products),
    (SELECT COUNT(*) FROM level_changes);

-- name: rows_made()^
-- Rows that were ever made, those that were deleted included: what AUTOINCREMENT remembers.
SELECT COALESCE(SUM(seq), 0) FROM sqlite_sequence WHERE name IN ('products', 'level_changes');
