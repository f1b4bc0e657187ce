-- The catalogue, as far as PostgreSQL's index of trigrams (pg_trgm), its counts and its JSON are needed.

-- name: list_products(limit, offset)
-- The total stands in front of every row, and in front of an empty one where the page lies past the end. Both are walks
-- through the index of ids: counters that every new product changes would make replicas wait for each other.
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM products) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM products ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    JOIN products ON products.id = chosen.id
) AS page ON TRUE
ORDER BY page.id;

-- name: list_products_in_category(category, limit, offset)
-- The same in the index of the category.
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM products WHERE category = :category) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM products WHERE category = :category ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    JOIN products ON products.id = chosen.id
) AS page ON TRUE
ORDER BY page.id;

-- name: count_in_category(category)^
-- At most as many as tell a small category from a large one.
SELECT COUNT(*) AS products FROM (SELECT 1 FROM products WHERE category = :category LIMIT 1001) AS counted;

-- name: index_more_products(limit)^
-- No row: the indexes of PostgreSQL never wait to be filled.
SELECT CAST(:limit AS BIGINT) AS upto WHERE FALSE;

-- name: search_products(trigrams, pattern, category, limit, offset)
-- The index takes the trigrams from the pattern by itself, so :trigrams only has to be there.
WITH fitting (id) AS MATERIALIZED (
    SELECT id
    FROM products
    WHERE CAST(:trigrams AS TEXT) IS NOT NULL
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND (code_folded LIKE :pattern ESCAPE '\' OR description_folded LIKE :pattern ESCAPE '\')
)
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM fitting) AS counted
LEFT JOIN (
    SELECT products.id, product_code, description, category, unit_of_measure, created_at, updated_at
    FROM (SELECT id FROM fitting ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    JOIN products ON products.id = chosen.id
) AS page ON TRUE
ORDER BY page.id;

-- name: product_texts_by_codes(codes)
-- What a label may say of these products. :codes is a JSON array, so that one statement takes any number of them.
SELECT products.product_code, products.description, products.category, products.unit_of_measure
FROM json_array_elements_text(CAST(:codes AS JSON)) AS wanted (value)
JOIN products ON products.product_code = wanted.value;

-- name: levels_of_products(ids)
-- The inventory records of these products. :ids is a JSON array.
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
FROM json_array_elements_text(CAST(:ids AS JSON)) WITH ORDINALITY AS wanted (value, key)
JOIN levels ON levels.product_id = CAST(wanted.value AS BIGINT)
JOIN products ON products.id = levels.product_id
ORDER BY wanted.key;
