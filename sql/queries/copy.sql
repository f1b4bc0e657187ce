-- A copy of a whole database; `products` stands for each table.

-- name: copied_rows()
SELECT * FROM products ORDER BY 1;

-- name: count_copied_rows()^
SELECT COUNT(*) AS counted FROM products;

-- name: doubt_copied_jobs()!
-- The source still prints the jobs that are not over, so the copy must not.
UPDATE print_jobs
SET state = 'in_doubt', labels_unsure = labels - labels_sure,
    message = 'it was copied from a database that may have printed it'
WHERE state IN ('waiting', 'sending');
