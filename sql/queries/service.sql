-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) FROM schema_version;

-- name: touch()!
-- A change that changes nothing: it is written and committed as any other.
UPDATE schema_version SET version = version;

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
