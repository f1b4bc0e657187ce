-- What sets a database up, versions it and asks whether it is well.

-- name: server()^
-- Its version as one number, such as 150018, and how it stores texts.
SELECT CAST(current_setting('server_version_num') AS INTEGER), current_setting('server_encoding');

-- name: compile_nothing()!
-- Compiling a statement takes longer than any of these runs. Set by a statement, because PgBouncer refuses it at a start.
SET jit = off;

-- name: plan_once()!
-- A scan's statement is planned once and not for its values: that takes several times as long as to run it.
SET plan_cache_mode = force_generic_plan;

-- name: wait_for_other_starts()!
-- Of replicas that start at once, one migrates; the lock ends with the transaction. The number is this service's own.
SELECT pg_advisory_xact_lock(6241907730144218117);

-- name: tables()
-- Without views: extensions such as pg_stat_statements make some.
SELECT table_name AS name
FROM information_schema.tables
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE';

-- name: create_schema_version()!
CREATE TABLE schema_version (version INTEGER NOT NULL);

-- name: begin_schema_version()!
INSERT INTO schema_version (version) VALUES (0);

-- name: schema_version()^
SELECT MAX(version) AS version FROM schema_version;

-- name: set_schema_version(version)!
UPDATE schema_version SET version = :version;

-- name: make_trigrams()!
-- Needs the right to create in the database, where the extension is not there yet.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- name: has_trigram_index()^
SELECT to_regclass('products_by_trigrams') IS NOT NULL;

-- name: index_trigrams()!
CREATE INDEX products_by_trigrams
ON products USING gin (code_folded gin_trgm_ops, description_folded gin_trgm_ops);

-- name: begin_change()!
-- Refused by a server that only follows another one, and by a database that may only be read; changes and locks nothing.
SELECT 1 FROM schema_version WHERE FALSE FOR NO KEY UPDATE;
