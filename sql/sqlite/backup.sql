-- Which of two databases is the newer one.

-- name: last_change()^
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
