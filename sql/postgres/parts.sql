-- Parts that have another syntax in SQLite: sql/sqlite/parts.sql has the same names.

-- part: lock
-- Other replicas write at the same time: no other change may start from the same rows.
FOR NO KEY UPDATE

-- part: lock_of_levels
FOR NO KEY UPDATE OF levels

-- part: skip_locked
-- Skips rows that another connection is deleting.
FOR UPDATE SKIP LOCKED

-- part: lock_of_names
-- Any number that no other lock of the service has.
pg_advisory_xact_lock(6241907730144218118)

-- part: place_of
strpos

-- part: line_feed
chr(10)

-- part: other_words
other_words (word) AS MATERIALIZED (SELECT value FROM json_array_elements_text(CAST(:other_words AS JSON)) AS other (value))

-- part: named
(SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(:named AS JSON)) AS named (value))

-- part: wanted
json_array_elements_text(CAST(:wanted AS JSON)) WITH ORDINALITY AS wanted (value, key)

-- part: given
json_each_text(CAST(:given AS JSON)) AS given (key, value)

-- part: epoch
-- The time in seconds since 1970, by the clock of the server, which replicas share.
CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)
