-- The file of rows that wait for an import.

-- part: both_attributes
-- Those of the row replace those of the product.
(
    SELECT json_group_object(key, value)
    FROM (SELECT key, value FROM json_each(json_patch(products.attributes, given.attributes)) ORDER BY key)
)

-- part: attributes_after
(SELECT COUNT(*) FROM json_each(json_patch(products.attributes, given.attributes)))

-- name: create_staged_rows()!
CREATE TABLE staged_rows (
    position           INTEGER PRIMARY KEY, -- from 1, without gaps
    number             BIGINT NOT NULL,     -- of the row in the spreadsheet
    product_code       TEXT NOT NULL,
    description        TEXT,
    category           TEXT,
    unit_of_measure    TEXT,
    code_folded        TEXT NOT NULL,
    description_folded TEXT NOT NULL,
    number_key         TEXT,
    initial_level      BIGINT,
    minimum_level      BIGINT,
    maximum_level      BIGINT,
    attributes         TEXT NOT NULL
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
