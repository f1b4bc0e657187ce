-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) FROM schema_version;
