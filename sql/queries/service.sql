-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) FROM schema_version;

-- name: try_to_change(text)!
-- Under a key that no client can send, and that has expired: the next adjustment clears it away.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES ('', '', '', :text, '')
ON CONFLICT (idempotency_key) DO UPDATE SET answer = excluded.answer;
