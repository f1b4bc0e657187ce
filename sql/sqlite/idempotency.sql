-- name: newest_surplus_key(most)^
-- The time of the newest key that is older than the :most newest ones, or NULL.
SELECT MAX(used_at) AS used_at
FROM idempotency_keys
WHERE used_at < (
    SELECT used_at
    FROM idempotency_keys
    ORDER BY used_at
    LIMIT 1 OFFSET (SELECT MAX(kept - :most, 0) FROM idempotency_key_count)
);
