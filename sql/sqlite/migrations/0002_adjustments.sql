-- The idempotency keys, under which a repeated count is one count.
--
-- Without a reference to products: a key outlives its product, because the product that a scan finds next time may be
-- another one.

CREATE TABLE idempotency_keys (
    idempotency_key TEXT NOT NULL PRIMARY KEY,
    used_for        TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    answer          TEXT NOT NULL,
    used_at         TEXT NOT NULL
);

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (used_at);
