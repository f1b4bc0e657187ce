-- The summary of a backup, and what a restore changes in it.

-- name: content()^
SELECT
    (SELECT COUNT(*) FROM products) AS products,
    MAX(
        COALESCE((SELECT MAX(updated_at) FROM products), ''),
        COALESCE((SELECT MAX(last_updated) FROM levels), '')
    ) AS last_change;

-- name: doubt_restored_jobs(now)!
-- They may have been printed since the backup was made.
UPDATE print_jobs
SET state = 'in_doubt', labels_unsure = labels - labels_sure, updated_at = :now,
    message = 'it was restored from a backup, and may be printed already'
WHERE state IN ('waiting', 'sending');
