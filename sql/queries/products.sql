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

-- name: scan_products(pattern, limit, offset)
-- Every product's texts are compared; for what is shorter than a trigram.
WITH fitting (id) AS MATERIALIZED (
    SELECT id FROM products WHERE code_folded LIKE :pattern ESCAPE '\' OR description_folded LIKE :pattern ESCAPE '\'
)
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM fitting) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM fitting ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: scan_exactly(text, category, limit, offset)
-- Every product's texts are compared, character by character; for the few texts that LIKE may take for others.
WITH fitting (id) AS MATERIALIZED (
    SELECT id
    FROM products
    WHERE (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND (replace(code_folded, :text, '') <> code_folded OR replace(description_folded, :text, '') <> description_folded)
)
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM fitting) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM fitting ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: scan_category(category, pattern, limit, offset)
-- Every product of the category; for what is shorter than a trigram, and for small categories.
WITH fitting (id) AS MATERIALIZED (
    SELECT id
    FROM products
    WHERE category = :category
      AND (code_folded LIKE :pattern ESCAPE '\' OR description_folded LIKE :pattern ESCAPE '\')
)
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM fitting) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM fitting ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
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
