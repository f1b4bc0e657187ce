-- part: columns
-- The copy puts all columns in its place, and as many marks in that of the next.
id

-- part: marks
?

-- name: insert_copied_row()!
-- Triggers maintain what is derived from the rows.
INSERT INTO {table} ({columns}) VALUES ({marks});

-- name: last_given_id(table)^
-- AUTOINCREMENT has a row for each table that ever had one.
SELECT COALESCE(MAX(seq), 0) AS last FROM sqlite_sequence WHERE name = :table;

-- name: set_last_given_id(table, last)^
-- Its own row, if there is one: names are not unique.
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = :table), :table, :last)
RETURNING seq AS last;
