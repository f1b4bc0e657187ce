-- Movements of all products, newest first, at most :limit before a time and an id. Each takes two queries, because SQLite
-- cannot search an index for a pair of values, and an import writes many movements in one millisecond.

-- part: of_that_time
updated_at = :before_time AND id < :before AND :from_time <= :before_time

-- part: before_that
updated_at >= :from_time AND updated_at < :before_time
ORDER BY updated_at DESC, id DESC
LIMIT :limit

-- name: list_recent_movements(from_time, before_time, before, limit)
WITH page (updated_at, id) AS (
    SELECT updated_at, id FROM movements WHERE {of_that_time}
    UNION ALL
    SELECT updated_at, id FROM movements WHERE {before_that}
)
{listed_page};

-- name: list_movements_by_author(updated_by, from_time, before_time, before, limit)
WITH page (updated_at, id) AS (
    SELECT updated_at, id FROM movements WHERE updated_by = :updated_by AND {of_that_time}
    UNION ALL
    SELECT updated_at, id FROM movements WHERE updated_by = :updated_by AND {before_that}
)
{listed_page};
