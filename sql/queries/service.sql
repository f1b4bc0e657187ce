-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) AS counted FROM schema_version;
