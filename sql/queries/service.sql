-- Whether the database can be read, and the version of its schema.

-- name: ping()^
SELECT COUNT(*) AS counted FROM schema_version;

-- name: create_schema_version()!
CREATE TABLE schema_version (version INTEGER NOT NULL);

-- name: begin_schema_version()!
INSERT INTO schema_version (version) VALUES (0);

-- name: schema_version()^
SELECT MAX(version) AS version FROM schema_version;

-- name: set_schema_version(version)!
UPDATE schema_version SET version = :version;
