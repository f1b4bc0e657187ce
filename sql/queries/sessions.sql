-- The key that signs the web app's cookies, and the sessions that were logged out.

-- name: get_session_key()^
SELECT session_key FROM session_key;

-- name: make_session_key(session_key)!
-- Of two processes that start at once, the later one uses the key of the earlier one.
INSERT INTO session_key (id, session_key) VALUES (1, :session_key)
ON CONFLICT (id) DO NOTHING;

-- name: get_ended_session(session_id)^
SELECT session_id FROM ended_sessions WHERE session_id = :session_id;

-- name: end_session(session_id, expires_at)!
INSERT INTO ended_sessions (session_id, expires_at) VALUES (:session_id, :expires_at)
ON CONFLICT (session_id) DO NOTHING;

-- name: forget_ended_sessions(now)!
DELETE FROM ended_sessions WHERE expires_at <= :now;
