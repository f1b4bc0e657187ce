-- Searches use pg_trgm instead of SQLite's index (see sql/postgres/connections.sql).

COMMENT ON COLUMN products.code_folded IS 'searched by substring, as description_folded';
