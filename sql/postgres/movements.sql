-- Movements of all products, newest first.

-- part: recent
-- At most :limit before a time and an id.
updated_at >= :from_time AND (updated_at, id) < (:before_time, :before)
ORDER BY updated_at DESC, id DESC
LIMIT :limit

-- name: list_recent_movements(from_time, before_time, before, limit)
WITH page (id) AS (SELECT id FROM movements WHERE {recent})
{listed_page};

-- name: list_movements_by_author(updated_by, from_time, before_time, before, limit)
WITH page (id) AS (SELECT id FROM movements WHERE updated_by = :updated_by AND {recent})
{listed_page};
