-- What the service asks about the database itself.

-- name: ping()^
SELECT COUNT(*) FROM schema_version;

-- name: touch()!
-- A change that changes nothing: it is written and committed as any other.
UPDATE schema_version SET version = version;
