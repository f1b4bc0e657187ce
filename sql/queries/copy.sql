-- What of a database is copied into another one, in the order of their keys. The columns stand in the order of
-- barcodesvc/store/copyable.py. The key '' is none of a client's (see sql/sqlite/connections.sql), so it stays behind.

-- name: copied_products(after, limit)
SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at,
       code_folded, description_folded, gtin, short_gtin
FROM products
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: copied_levels(after, limit)
SELECT id, product_id, current_level, minimum_level, maximum_level, last_updated, updated_by, changed_at
FROM levels
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: copied_changes(after, limit)
SELECT id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes
FROM level_changes
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: copied_keys(after, limit)
SELECT idempotency_key, used_for, fingerprint, answer, used_at
FROM idempotency_keys
WHERE idempotency_key > :after
ORDER BY idempotency_key
LIMIT :limit;

-- name: copied_session_key(after, limit)
SELECT id, session_key
FROM session_key
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: copied_ended_sessions(after, limit)
SELECT session_id, expires_at
FROM ended_sessions
WHERE session_id > :after
ORDER BY session_id
LIMIT :limit;
