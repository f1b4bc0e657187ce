-- name: lift_time_limits()^
-- For this transaction, overriding settings of the role and of the database; it idles while the other database works.
SELECT
    set_config('statement_timeout', '0', TRUE) AS statement,
    set_config('idle_in_transaction_session_timeout', '0', TRUE) AS idle;

-- name: keep_others_out()!
-- Readers continue; changes of a service that was started on the target wait.
LOCK TABLE {table} IN EXCLUSIVE MODE;

-- name: plan_for_copied_rows()!
ANALYZE {table};

-- name: last_given_id(table)^
SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence(:table, 'id') AS REGCLASS)), 0) AS last;

-- name: set_last_given_id(table, last)^
SELECT setval(
    CAST(pg_get_serial_sequence(:table, 'id') AS REGCLASS),
    GREATEST(CAST(:last AS BIGINT), 1),
    CAST(:last AS BIGINT) > 0
) AS last;
