-- What SQLite is given here, PostgreSQL has in pg_trgm (see sql/postgres/connections.sql), and it counts by itself.

COMMENT ON COLUMN products.code_folded IS 'searched by substring, as description_folded';
