-- Parts that have another syntax in SQLite: sql/sqlite/parts.sql has the same names.

-- part: lock
-- Other replicas write at the same time: no other change may start from the same rows.
FOR NO KEY UPDATE

-- part: skip_locked
-- Skips rows that another connection is deleting.
FOR UPDATE SKIP LOCKED

-- part: wanted
json_array_elements_text(CAST(:wanted AS JSON)) WITH ORDINALITY AS wanted (value, key)
