-- The keys under which replies are kept, in the transaction of the change that they confirm.

-- part: has_no_reply
NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE idempotency_key = :idempotency_key AND used_at > :expired)

-- name: get_kept_reply(idempotency_key, expired)^
SELECT used_for, used_at, fingerprint, body
FROM idempotency_keys
WHERE idempotency_key = :idempotency_key AND used_at > :expired;

-- name: keep_reply(idempotency_key, used_for, fingerprint, body, now, expired)!
-- An expired key that is still there is taken over. Nothing is written if the key is valid: then another connection has
-- kept its reply to the same request meanwhile.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, body, used_at)
VALUES (:idempotency_key, :used_for, :fingerprint, :body, :now)
ON CONFLICT (idempotency_key) DO UPDATE
SET used_for = excluded.used_for,
    fingerprint = excluded.fingerprint,
    body = excluded.body,
    used_at = excluded.used_at
WHERE idempotency_keys.used_at <= :expired;

-- name: delete_old_keys(expired, limit)!
DELETE FROM idempotency_keys
WHERE idempotency_key IN (
    SELECT idempotency_key
    FROM idempotency_keys
    WHERE used_at <= :expired
    ORDER BY used_at
    LIMIT :limit
    {skip_locked}
);
