-- The rows that wait for an import, in a temporary table of its transaction.

-- part: both_attributes
-- Those of the row replace those of the product. The text is compact, as the service writes it.
(
    SELECT '{' || string_agg(CAST(to_json(key) AS TEXT) || ':' || CAST(to_json(value) AS TEXT), ',' ORDER BY key) || '}'
    FROM jsonb_each_text(CAST(products.attributes AS JSONB) || CAST(given.attributes AS JSONB)) AS merged (key, value)
)

-- part: attributes_after
(
    SELECT COUNT(*)
    FROM jsonb_object_keys(CAST(products.attributes AS JSONB) || CAST(given.attributes AS JSONB))
)

-- part: each_other_code
LATERAL json_to_recordset(CAST(given.other_codes AS JSON)) AS other (
    code TEXT, pack_quantity BIGINT, note TEXT, folded_key TEXT, number_key TEXT, main_key TEXT, codabar_key TEXT
)

-- part: other_code
other.code

-- part: other_code_columns
other.code, 0, other.pack_quantity, other.note, :now, other.folded_key, other.number_key, other.main_key,
other.codabar_key

-- part: new_product_id
-- A sequence would not go back with a transaction, so a dry run has :first_id.
COALESCE(CAST(:first_id AS BIGINT) + given.position, nextval('products_id_seq'))

-- part: new_level_id
COALESCE(CAST(:first_id AS BIGINT) + given.position, nextval('levels_id_seq'))

-- part: new_movement_id
COALESCE(CAST(:first_id AS BIGINT) + given.position, nextval('movements_id_seq'))

-- name: create_staged_rows()!
CREATE TEMPORARY TABLE staged_rows (
    position BIGINT PRIMARY KEY,
    {staged_columns}
) ON COMMIT DROP;

-- name: count_staged_rows()!
-- Statistics for the planner: autovacuum does not analyze temporary tables.
ANALYZE staged_rows;

-- name: read_by_indexes()!
-- For this transaction: a cached plan that was made while the catalogue was empty would read all of it for each row.
-- Planning each statement again would make a whole import slower.
SET LOCAL enable_seqscan = off;
