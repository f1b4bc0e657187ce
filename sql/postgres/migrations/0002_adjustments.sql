-- The idempotency keys, under which a repeated count is one count.
--
-- Without a reference to products: a key outlives its product, because the product that a scan finds next time may be
-- another one. The number of keys is estimated by ANALYZE, which runs after each percent of them
-- has changed.

CREATE TABLE idempotency_keys (
    idempotency_key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    used_for        TEXT COLLATE "C" NOT NULL,
    fingerprint     TEXT COLLATE "C" NOT NULL,
    answer          TEXT COLLATE "C" NOT NULL,
    used_at         TEXT COLLATE "C" NOT NULL
) WITH (autovacuum_analyze_scale_factor = 0.01);

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (used_at);
