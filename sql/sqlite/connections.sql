-- What opens, closes, checks and versions a database, and begins and ends its transactions.

-- name: begin_change()!
BEGIN IMMEDIATE;

-- name: begin_reading()!
BEGIN;

-- name: begin_alone()!
BEGIN EXCLUSIVE;

-- name: commit()!
COMMIT;

-- name: write_ahead()^
-- The mode stands in the file; what comes back is the mode that it has now.
PRAGMA journal_mode = WAL;

-- name: leave_write_ahead()^
-- Only the sole user of a file can make it leave the write-ahead log.
PRAGMA journal_mode = DELETE;

-- name: synchronise_fully()!
PRAGMA synchronous = FULL;

-- name: enforce_references()!
PRAGMA foreign_keys = ON;

-- name: keep_pages()!
-- KiB: an import touches nine trees at random, and the 2 MiB that SQLite keeps by itself would spill them.
PRAGMA cache_size = -32768;

-- name: cut_log()!
-- Bytes: the log of an import is cut when it is begun anew, instead of keeping its size for ever.
PRAGMA journal_size_limit = 16777216;

-- name: commits_seen()^
-- Another number after every commit of another connection.
PRAGMA data_version;

-- name: keep_no_journal()!
PRAGMA journal_mode = OFF;

-- name: synchronise_nothing()!
PRAGMA synchronous = OFF;

-- name: attach_staged(uri)!
ATTACH DATABASE :uri AS staged;

-- name: detach_staged()!
DETACH DATABASE staged;

-- name: damage()
-- `ok`, or the first thing that is wrong with the file, its indexes included.
PRAGMA integrity_check(1);

-- name: rows_without_their_product()
PRAGMA foreign_key_check;

-- name: text_index(name)^
SELECT 1 FROM pragma_module_list WHERE name = :name;

-- name: tables()
SELECT name FROM sqlite_master;

-- name: create_schema_version()!
CREATE TABLE schema_version (version INTEGER NOT NULL);

-- name: begin_schema_version()!
INSERT INTO schema_version (version) VALUES (0);

-- name: schema_version()^
SELECT MAX(version) AS version FROM schema_version;

-- name: set_schema_version(version)!
UPDATE schema_version SET version = :version;

-- name: try_to_change(text)!
-- Under a key that no client can send, and that has expired: the next adjustment clears it away.
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, answer, used_at)
VALUES ('', '', '', :text, '')
ON CONFLICT (idempotency_key) DO UPDATE SET answer = excluded.answer;
