-- Single products.

-- part: values_folded
-- The values of a product's attributes, folded, with the line feed before them.
substr(products.description_folded, {place_of}(products.description_folded || {line_feed}, {line_feed}))

-- name: get_product(id)^
SELECT {product_columns} FROM products WHERE id = :id;

-- name: get_product_by_code(product_code)^
-- By its own code or a further one.
SELECT {product_columns} FROM products WHERE id = (SELECT product_id FROM product_codes WHERE code = :product_code);

-- name: products_by_ids(wanted)
-- Those of these products that exist, in their order. :wanted is a JSON array of ids.
SELECT {product_columns}
FROM {wanted}
CROSS JOIN products
WHERE products.id = CAST(wanted.value AS BIGINT)
ORDER BY wanted.key;

-- name: product_texts_by_codes(wanted)
-- The texts for labels of the products that have these codes, as their own or as further ones. :wanted is a JSON array, so
-- one statement takes any number of codes.
SELECT product_codes.code, products.description, products.category, products.unit_of_measure, products.attributes
FROM {wanted}
JOIN product_codes ON product_codes.code = wanted.value
JOIN products ON products.id = product_codes.product_id;

-- name: insert_product(product_code, description, category, unit_of_measure, attributes, now, code_folded, description_folded, idempotency_key, expired)^
-- Writes nothing and returns no row if a product has this code, or a reply under the key.
INSERT INTO products (
    product_code, description, category, unit_of_measure, attributes, created_at, updated_at,
    code_folded, description_folded
)
SELECT :product_code, :description, :category, :unit_of_measure, :attributes, :now, :now,
       :code_folded, :description_folded
WHERE NOT EXISTS (SELECT 1 FROM product_codes WHERE code = :product_code) AND {has_no_reply}
RETURNING {product_columns};

-- name: update_product(id, product_code, code_folded, description, description_folded, category, unit_of_measure, attributes, retired, now)^
-- NULL keeps a column as it is. Without other attributes, a folded description gets the values that are there.
UPDATE products
SET product_code = COALESCE(:product_code, product_code),
    code_folded = COALESCE(:code_folded, code_folded),
    description = COALESCE(:description, description),
    description_folded = COALESCE(
        :description_folded || CASE WHEN CAST(:attributes AS TEXT) IS NULL THEN {values_folded} ELSE '' END,
        description_folded
    ),
    category = COALESCE(:category, category),
    unit_of_measure = COALESCE(:unit_of_measure, unit_of_measure),
    attributes = COALESCE(:attributes, attributes),
    retired = COALESCE(:retired, retired),
    updated_at = :now
WHERE id = :id
RETURNING {product_columns};

-- name: lock_texts(id)^
-- The texts of a product that is about to get others.
SELECT description, attributes FROM products WHERE id = :id {lock};

-- name: attribute_names()
-- The names that products have.
SELECT name FROM attribute_counts GROUP BY name HAVING SUM(products) > 0 ORDER BY name;

-- name: lock_names()!
-- Until the end of the transaction, no other one adds what the database has a limited number of.
SELECT {lock_of_names};

-- name: delete_product(id)^
DELETE FROM products
WHERE id = :id
RETURNING product_code;

-- name: put_folded_descriptions(given)!
-- :given is a JSON object with the folded texts of products by their ids.
UPDATE products
SET description_folded = given.value
FROM {given}
WHERE products.id = CAST(given.key AS BIGINT) AND description_folded <> given.value;
