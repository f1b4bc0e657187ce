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

-- name: list_products(limit, offset)
-- The total stands in front of every row, and in front of an empty one where the page lies past the end. Where the page
-- begins follows from the counts of products: what is passed over lies within one block of 1024 ids, or among the
-- products that are not indexed yet, which are like one large block more.
WITH large (start, products) AS (
    SELECT block * 65536, products FROM product_blocks WHERE size = 65536
    UNION ALL
    SELECT upto + 1, (SELECT COUNT(*) FROM products WHERE id > upto) FROM indexed_products
),
large_summed (start, products, total) AS MATERIALIZED (
    SELECT start, products, SUM(products) OVER (ORDER BY start ROWS UNBOUNDED PRECEDING) FROM large
),
large_beginning (start, passed) AS MATERIALIZED (
    SELECT start, total - products FROM large_summed WHERE total > :offset ORDER BY start LIMIT 1
),
small (start, products, total) AS (
    SELECT block * 1024, product_blocks.products,
           passed + SUM(product_blocks.products) OVER (ORDER BY block ROWS UNBOUNDED PRECEDING)
    FROM large_beginning
    CROSS JOIN product_blocks
    WHERE size = 1024 AND block >= (start + 1023) / 1024 AND block < start / 1024 + 64
),
beginning (start, passed) AS MATERIALIZED (
    SELECT start, passed
    FROM (
        SELECT start, total - products AS passed FROM small
        UNION ALL
        SELECT start, passed FROM large_beginning
    ) AS candidates
    WHERE passed <= :offset
    ORDER BY passed DESC, start DESC
    LIMIT 1
)
SELECT counted.total, page.*
FROM (SELECT MAX(total) AS total FROM large_summed) AS counted
LEFT JOIN (
    SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM products
    WHERE id >= (SELECT start FROM beginning)
    ORDER BY id
    LIMIT :limit OFFSET :offset - COALESCE((SELECT passed FROM beginning), 0)
) AS page ON 1 = 1
ORDER BY page.id;

-- name: list_products_in_category(category, limit, offset)
-- The same, by the counts of the category.
WITH large (start, products) AS (
    SELECT block * 65536, products FROM category_blocks WHERE category = :category AND size = 65536
    UNION ALL
    SELECT upto + 1, (SELECT COUNT(*) FROM products WHERE category = :category AND id > upto) FROM indexed_products
),
large_summed (start, products, total) AS MATERIALIZED (
    SELECT start, products, SUM(products) OVER (ORDER BY start ROWS UNBOUNDED PRECEDING) FROM large
),
large_beginning (start, passed) AS MATERIALIZED (
    SELECT start, total - products FROM large_summed WHERE total > :offset ORDER BY start LIMIT 1
),
small (start, products, total) AS (
    SELECT block * 1024, category_blocks.products,
           passed + SUM(category_blocks.products) OVER (ORDER BY block ROWS UNBOUNDED PRECEDING)
    FROM large_beginning
    CROSS JOIN category_blocks
    WHERE category = :category AND size = 1024 AND block >= (start + 1023) / 1024 AND block < start / 1024 + 64
),
beginning (start, passed) AS MATERIALIZED (
    SELECT start, passed
    FROM (
        SELECT start, total - products AS passed FROM small
        UNION ALL
        SELECT start, passed FROM large_beginning
    ) AS candidates
    WHERE passed <= :offset
    ORDER BY passed DESC, start DESC
    LIMIT 1
)
SELECT counted.total, page.*
FROM (SELECT MAX(total) AS total FROM large_summed) AS counted
LEFT JOIN (
    SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM products
    WHERE category = :category AND id >= (SELECT start FROM beginning)
    ORDER BY id
    LIMIT :limit OFFSET :offset - COALESCE((SELECT passed FROM beginning), 0)
) AS page ON 1 = 1
ORDER BY page.id;

-- name: count_in_category(category)^
-- Of the indexed products.
SELECT COALESCE(SUM(products), 0) FROM category_blocks WHERE category = :category AND size = 65536;

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
    CROSS JOIN products ON products.id = chosen.id
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
    CROSS JOIN products ON products.id = chosen.id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: index_more_products(limit)^
-- Takes at most so many products more into the indexes; no row comes back where all are there.
UPDATE indexed_products
SET upto = (SELECT MAX(id) FROM (SELECT id FROM products WHERE id > upto ORDER BY id LIMIT :limit) AS next)
WHERE EXISTS (SELECT 1 FROM products WHERE id > upto)
RETURNING upto;

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
