-- The catalogue. A name is followed by its parameters and by what comes back:
-- ^ one row or none, nothing = rows, ! no rows.

-- name: get_product(id)^
SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
FROM products
WHERE id = :id;

-- name: get_product_by_code(product_code)^
SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
FROM products
WHERE product_code = :product_code;

-- name: list_products(pattern, limit, offset)
-- The total stands in front of every row, and in front of an empty one where the page lies past the end.
SELECT counted.total, page.*
FROM (
    SELECT COUNT(*) AS total
    FROM products
    WHERE CAST(:pattern AS TEXT) IS NULL
       OR code_folded LIKE :pattern ESCAPE '\'
       OR description_folded LIKE :pattern ESCAPE '\'
) AS counted
LEFT JOIN (
    SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM products
    WHERE CAST(:pattern AS TEXT) IS NULL
       OR code_folded LIKE :pattern ESCAPE '\'
       OR description_folded LIKE :pattern ESCAPE '\'
    ORDER BY id
    LIMIT :limit OFFSET :offset
) AS page ON 1 = 1
ORDER BY page.id;

-- name: list_products_in_category(category, pattern, limit, offset)
SELECT counted.total, page.*
FROM (
    SELECT COUNT(*) AS total
    FROM products
    WHERE category = :category
      AND (CAST(:pattern AS TEXT) IS NULL
           OR code_folded LIKE :pattern ESCAPE '\'
           OR description_folded LIKE :pattern ESCAPE '\')
) AS counted
LEFT JOIN (
    SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM products
    WHERE category = :category
      AND (CAST(:pattern AS TEXT) IS NULL
           OR code_folded LIKE :pattern ESCAPE '\'
           OR description_folded LIKE :pattern ESCAPE '\')
    ORDER BY id
    LIMIT :limit OFFSET :offset
) AS page ON 1 = 1
ORDER BY page.id;

-- name: insert_product(product_code, description, category, unit_of_measure, now, code_folded, description_folded, gtin, short_gtin)!
INSERT INTO products (
    product_code, description, category, unit_of_measure, created_at, updated_at,
    code_folded, description_folded, gtin, short_gtin
)
VALUES (
    :product_code, :description, :category, :unit_of_measure, :now, :now,
    :code_folded, :description_folded, :gtin, :short_gtin
);

-- name: update_product(id, description, description_folded, category, unit_of_measure, now)!
-- A NULL leaves its column as it is.
UPDATE products
SET description = COALESCE(:description, description),
    description_folded = COALESCE(:description_folded, description_folded),
    category = COALESCE(:category, category),
    unit_of_measure = COALESCE(:unit_of_measure, unit_of_measure),
    updated_at = :now
WHERE id = :id;

-- name: delete_product(id)^
DELETE FROM products
WHERE id = :id
RETURNING product_code;

-- name: product_texts_by_codes(codes)
-- What a label may say of these products. :codes is a JSON array, so that one statement takes any number of them
-- (PostgreSQL: json_array_elements_text).
SELECT products.product_code, products.description, products.category, products.unit_of_measure
FROM json_each(:codes) AS wanted
JOIN products ON products.product_code = wanted.value;

-- name: resolve_scan(key_1, value_1, key_2, value_2, key_3, value_3, key_4, value_4, key_5, value_5, key_6, value_6, key_7, value_7, key_8, value_8, key_9, value_9, key_10, value_10, key_11, value_11, key_12, value_12, key_13, value_13, key_14, value_14, key_15, value_15, key_16, value_16)^
-- The product that fits the best candidate which only one product fits; each branch is one index look-up a candidate.
WITH candidates (place, kind, wanted) AS (
    VALUES (1, :key_1, :value_1), (2, :key_2, :value_2), (3, :key_3, :value_3), (4, :key_4, :value_4),
           (5, :key_5, :value_5), (6, :key_6, :value_6), (7, :key_7, :value_7), (8, :key_8, :value_8),
           (9, :key_9, :value_9), (10, :key_10, :value_10), (11, :key_11, :value_11), (12, :key_12, :value_12),
           (13, :key_13, :value_13), (14, :key_14, :value_14), (15, :key_15, :value_15), (16, :key_16, :value_16)
),
fitting (place, product_id) AS (
    SELECT place, id FROM candidates JOIN products ON product_code = wanted WHERE kind = 'code'
    UNION ALL
    SELECT place, id FROM candidates JOIN products ON gtin = wanted WHERE kind = 'gtin'
    UNION ALL
    SELECT place, id FROM candidates JOIN products ON short_gtin = wanted WHERE kind = 'short_gtin'
    UNION ALL
    SELECT place, id FROM candidates JOIN products ON code_folded = wanted WHERE kind = 'folded'
),
unambiguous (place, product_id) AS (
    SELECT place, MIN(product_id) FROM fitting GROUP BY place HAVING COUNT(*) = 1
)
SELECT unambiguous.place, products.id, products.product_code, products.description, products.category,
       levels.current_level, levels.minimum_level, levels.last_updated
FROM unambiguous
JOIN products ON products.id = unambiguous.product_id
JOIN levels ON levels.product_id = unambiguous.product_id
ORDER BY unambiguous.place
LIMIT 1;
