-- The scans that named no product.

-- name: put_unknown_scan(text, scans, first_seen, last_seen)!
INSERT INTO unknown_scans (text, scans, first_seen, last_seen) VALUES (:text, :scans, :first_seen, :last_seen)
ON CONFLICT (text) DO UPDATE SET scans = unknown_scans.scans + :scans, last_seen = :last_seen;

-- name: forget_unknown_scans(most)!
-- Those that were not seen for the longest time, if there are more than :most.
DELETE FROM unknown_scans
WHERE id IN (SELECT id FROM unknown_scans ORDER BY last_seen DESC, id DESC LIMIT 1000000 OFFSET :most);

-- name: list_unknown_scans(limit, offset)
SELECT id, text, scans, first_seen, last_seen
FROM unknown_scans
ORDER BY last_seen DESC, id DESC
LIMIT :limit OFFSET :offset;

-- name: count_unknown_scans()^
SELECT COUNT(*) AS counted FROM unknown_scans;

-- name: delete_unknown_scan(id)^
DELETE FROM unknown_scans WHERE id = :id RETURNING text;

-- name: delete_unknown_scans()!
DELETE FROM unknown_scans;
