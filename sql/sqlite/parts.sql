-- Parts that have another syntax in PostgreSQL: sql/postgres/parts.sql has the same names.

-- part: text
TEXT

-- part: row_id
-- AUTOINCREMENT never assigns the id of a deleted row to another one.
INTEGER PRIMARY KEY AUTOINCREMENT

-- part: then_id
-- Nothing: SQLite adds the id to each entry of an index.

-- part: lock
-- Nothing: a transaction that writes locks the whole file.

-- part: lock_of_levels
-- Nothing, for the same reason.

-- part: skip_locked
-- Nothing, for the same reason.

-- part: lock_of_names
-- Nothing, for the same reason.
1

-- part: place_of
instr

-- part: line_feed
char(10)

-- part: other_words
other_words (word) AS MATERIALIZED (SELECT value FROM json_each(:other_words))

-- part: named
(SELECT value FROM json_each(:named))

-- part: wanted
json_each(:wanted) AS wanted

-- part: given
json_each(:given) AS given

-- part: attribute_value
-- Of the attribute :group_by of a product, or NULL. Names have no quotes.
json_extract(products.attributes, '$."' || :group_by || '"')

-- part: epoch
-- The time in seconds since 1970, by the clock of the database.
((julianday('now') - 2440587.5) * 86400.0)
