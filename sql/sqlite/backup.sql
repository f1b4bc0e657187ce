-- The summary of a backup.

-- name: content()^
SELECT
    (SELECT COUNT(*) FROM products) AS products,
    MAX(
        COALESCE((SELECT MAX(updated_at) FROM products), ''),
        COALESCE((SELECT MAX(last_updated) FROM levels), ''),
        COALESCE((SELECT MAX(updated_at) FROM level_changes), '')
    ) AS last_change;
