-- name: newest_surplus_key(most)^
-- The time of the newest key that is older than the :most newest ones, or NULL. It does not depend on what other replicas
-- delete meanwhile. Walking over ten million keys takes more than a second, so that is done only if the statistics show a
-- surplus of one percent. They lag, and one of them begins at 0 after a crash; then a later round deletes the surplus.
SELECT MAX(used_at) AS used_at
FROM idempotency_keys
WHERE used_at < (
    SELECT used_at
    FROM idempotency_keys
    WHERE (
        SELECT LEAST(reltuples, pg_stat_get_live_tuples(oid)) > 1.01 * CAST(:most AS BIGINT)
        FROM pg_class
        WHERE oid = CAST('idempotency_keys' AS REGCLASS)
    )
    ORDER BY used_at DESC
    LIMIT 1 OFFSET CAST(:most AS BIGINT) - 1
);
