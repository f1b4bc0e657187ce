-- The file of rows that wait for an import.

-- part: both_attributes
-- Those of the row replace those of the product.
(
    SELECT json_group_object(key, value)
    FROM (SELECT key, value FROM json_each(json_patch(products.attributes, given.attributes)) ORDER BY key)
)

-- part: attributes_after
(SELECT COUNT(*) FROM json_each(json_patch(products.attributes, given.attributes)))

-- part: each_other_code
json_each(given.other_codes) AS other

-- part: other_code
json_extract(other.value, '$.code')

-- part: other_code_columns
{other_code}, 0, json_extract(other.value, '$.pack_quantity'), json_extract(other.value, '$.note'), :now,
json_extract(other.value, '$.folded_key'), json_extract(other.value, '$.number_key'),
json_extract(other.value, '$.main_key'), json_extract(other.value, '$.codabar_key')

-- part: new_product_id
-- Without :first_id it is NULL, and SQLite assigns the next one.
:first_id + given.position

-- part: new_level_id
:first_id + given.position

-- part: new_movement_id
:first_id + given.position

-- name: create_staged_rows()!
CREATE TABLE staged_rows (
    position INTEGER PRIMARY KEY,
    {staged_columns}
);

-- name: put_staged_row(position, number, product_code, description, category, unit_of_measure, code_folded, description_folded, number_key, main_key, codabar_key, initial_level, minimum_level, maximum_level, attributes, other_codes)!
INSERT INTO staged_rows
VALUES (
    :position, :number, :product_code, :description, :category, :unit_of_measure,
    :code_folded, :description_folded, :number_key, :main_key, :codabar_key, :initial_level, :minimum_level,
    :maximum_level, :attributes, :other_codes
);
