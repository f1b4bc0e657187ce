-- The file of rows that wait for an import.

-- part: both_attributes
-- Those of the row replace those of the product.
(
    SELECT json_group_object(key, value)
    FROM (SELECT key, value FROM json_each(json_patch(products.attributes, given.attributes)) ORDER BY key)
)

-- part: attributes_after
(SELECT COUNT(*) FROM json_each(json_patch(products.attributes, given.attributes)))

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

-- name: put_staged_row(position, number, product_code, description, category, unit_of_measure, code_folded, description_folded, number_key, initial_level, minimum_level, maximum_level, attributes)!
INSERT INTO staged_rows (
    position, number, product_code, description, category, unit_of_measure,
    code_folded, description_folded, number_key, initial_level, minimum_level, maximum_level, attributes
)
VALUES (
    :position, :number, :product_code, :description, :category, :unit_of_measure,
    :code_folded, :description_folded, :number_key, :initial_level, :minimum_level, :maximum_level,
    :attributes
);
