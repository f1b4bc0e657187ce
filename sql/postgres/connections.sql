-- Settings of connections, start-up, and checks of a database.

-- name: server()^
-- The version as one number, such as 150018, and the encoding of texts.
SELECT CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_encoding');

-- name: compile_nothing()!
-- Compiling takes longer than running any of these statements. PgBouncer refuses this setting when a connection starts.
SET jit = off;

-- name: plan_once()!
-- The statement of a scan is planned once, not for each scan's values: planning takes several times as long as running.
SET plan_cache_mode = force_generic_plan;

-- name: wait_for_other_starts()!
-- Of replicas that start at once, one migrates; the lock ends with the transaction. The number belongs to this service.
SELECT pg_advisory_xact_lock(6241907730144218117);

-- name: tables()
-- Without views, which extensions such as pg_stat_statements create.
SELECT table_name AS name
FROM information_schema.tables
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE';

-- name: make_trigrams()!
-- Needs the right to create in the database, unless the extension exists.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- name: has_trigram_index()^
SELECT to_regclass('products_by_trigrams') IS NOT NULL;

-- name: index_trigrams()!
CREATE INDEX products_by_trigrams
ON products USING gin (code_folded gin_trgm_ops, description_folded gin_trgm_ops);

-- name: require_writable()!
-- Refused by a standby server and by a read-only database; changes and locks nothing.
SELECT 1 FROM schema_version WHERE FALSE FOR NO KEY UPDATE;
