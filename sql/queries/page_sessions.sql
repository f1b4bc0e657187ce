-- The key that signs the page's cookies, and the sessions that were logged out.

-- name: get_session_key()^
SELECT session_key FROM session_key;

-- name: make_session_key(session_key)!
-- Of two processes that start at once, the later one uses the key of the earlier one.
INSERT INTO session_key (id, session_key) VALUES (1, :session_key)
ON CONFLICT (id) DO NOTHING;

-- name: change_session_key(session_key)!
UPDATE session_key SET session_key = :session_key;

-- name: list_ended_sessions(now)
SELECT session_id, expires_at FROM ended_sessions WHERE expires_at > :now ORDER BY expires_at;

-- name: end_session(session_id, expires_at)!
INSERT INTO ended_sessions (session_id, expires_at) VALUES (:session_id, :expires_at)
ON CONFLICT (session_id) DO NOTHING;

-- name: forget_ended_sessions(now)!
DELETE FROM ended_sessions WHERE expires_at <= :now;

-- name: forget_all_ended_sessions()!
DELETE FROM ended_sessions;
