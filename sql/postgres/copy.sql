-- What takes the rows of a copied database in, beside COPY, and what a long transaction needs.

-- name: let_statements_last()!
-- In this transaction, whatever the role or the database sets.
SET LOCAL statement_timeout = 0;

-- name: let_transaction_wait()!
-- While the other database is at work.
SET LOCAL idle_in_transaction_session_timeout = 0;

-- name: keep_others_out()!
-- Those who read go on; a service that was started with the target waits with its changes.
LOCK TABLE products, levels, level_changes, idempotency_keys, session_key, ended_sessions IN EXCLUSIVE MODE;

-- name: drop_trigrams()!
-- It is made anew behind the rows, in a fraction of the time.
DROP INDEX IF EXISTS products_by_trigrams;

-- name: count_copied_rows()!
-- What the planner then knows of them, and how many keys there are.
ANALYZE products, levels, level_changes, idempotency_keys;

-- name: last_given_id(table)^
SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence(:table, 'id') AS REGCLASS)), 0) AS last;

-- name: set_last_given_id(table, last)!
SELECT setval(
    CAST(pg_get_serial_sequence(:table, 'id') AS REGCLASS),
    GREATEST(CAST(:last AS BIGINT), 1),
    CAST(:last AS BIGINT) > 0
);
