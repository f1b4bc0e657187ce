-- A copy of a whole database, table by table.

-- part: table
-- The copy puts the name of each table in its place.
products

-- name: copied_rows()
SELECT * FROM {table} ORDER BY 1;

-- name: count_copied_rows()^
SELECT COUNT(*) AS counted FROM {table};

-- name: doubt_copied_jobs()!
-- The source still prints the jobs that are not over, so the copy must not.
UPDATE print_jobs
SET state = 'in_doubt', labels_unsure = labels - labels_sure,
    message = 'it was copied from a database that may have printed it'
WHERE state IN ('waiting', 'sending');
