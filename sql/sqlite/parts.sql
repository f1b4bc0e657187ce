-- Parts that have another syntax in PostgreSQL: sql/postgres/parts.sql has the same names.

-- part: lock
-- Nothing: a transaction that writes locks the whole file.

-- part: skip_locked
-- Nothing, for the same reason.

-- part: wanted
json_each(:wanted) AS wanted
