-- Settings of connections, transactions, and checks of a database.

-- name: begin_change()!
BEGIN IMMEDIATE;

-- name: begin_reading()!
BEGIN;

-- name: begin_alone()!
BEGIN EXCLUSIVE;

-- name: commit()!
COMMIT;

-- name: write_ahead()^
-- The mode is stored in the file; the result is the mode that the file has now.
PRAGMA journal_mode = WAL;

-- name: leave_write_ahead()^
-- Only the sole user of a file can make it leave the write-ahead log.
PRAGMA journal_mode = DELETE;

-- name: synchronise_fully()!
PRAGMA synchronous = FULL;

-- name: enforce_references()!
PRAGMA foreign_keys = ON;

-- name: keep_pages()!
-- KiB: an import writes to nine B-trees at random places, for which SQLite's default of 2 MiB is too small.
PRAGMA cache_size = -32768;

-- name: cut_log()!
-- Bytes: when the log restarts after an import, it is cut to this size instead of staying as large.
PRAGMA journal_size_limit = 16777216;

-- name: commits_seen()^
-- A number that changes with every commit of another connection.
PRAGMA data_version;

-- name: keep_no_journal()!
PRAGMA journal_mode = OFF;

-- name: synchronise_nothing()!
PRAGMA synchronous = OFF;

-- name: attach_staged(uri)!
ATTACH DATABASE :uri AS staged;

-- name: damage()
-- `ok`, or the first thing that is wrong with the file, its indexes included.
PRAGMA integrity_check(1);

-- name: rows_without_their_product()
PRAGMA foreign_key_check;

-- name: text_index(name)^
SELECT 1 FROM pragma_module_list WHERE name = :name;

-- name: tables()
SELECT name FROM sqlite_master;

-- name: try_to_change(text)!
INSERT INTO write_tests (id, text) VALUES (1, :text)
ON CONFLICT (id) DO UPDATE SET text = excluded.text;
