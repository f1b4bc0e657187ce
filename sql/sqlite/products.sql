-- The catalogue, as far as SQLite's own index of texts (FTS5) and json_each are needed.

-- name: search_products(trigrams, pattern, category, limit, offset)
-- :trigrams is a JSON array of trigrams that every product searched for has; FTS5 wants each in quotes. The index is
-- asked for the three that look rarest, which are those whose 256th product comes last: common ones rule little out
-- and cost most. Then the texts themselves are compared, and those of the products that are not indexed yet.
WITH rarest (trigram) AS (
    SELECT quoted
    FROM (SELECT '"' || replace(value, '"', '""') || '"' AS quoted FROM json_each(:trigrams)) AS wanted
    ORDER BY (
        SELECT product_texts.rowid FROM product_texts WHERE product_texts MATCH wanted.quoted LIMIT 1 OFFSET 255
    ) DESC NULLS FIRST
    LIMIT 3
),
fitting (id) AS MATERIALIZED (
    SELECT products.id
    FROM product_texts
    CROSS JOIN products ON products.id = product_texts.rowid
    WHERE product_texts MATCH (SELECT GROUP_CONCAT(trigram, ' AND ') FROM rarest)
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND (code_folded LIKE :pattern ESCAPE '\' OR description_folded LIKE :pattern ESCAPE '\')
    UNION ALL
    SELECT id
    FROM products
    WHERE id > (SELECT upto FROM indexed_products)
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
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

-- name: product_texts_by_codes(codes)
-- What a label may say of these products. :codes is a JSON array, so that one statement takes any number of them.
SELECT products.product_code, products.description, products.category, products.unit_of_measure
FROM json_each(:codes) AS wanted
JOIN products ON products.product_code = wanted.value;

-- name: levels_of_products(ids)
-- The inventory records of these products. :ids is a JSON array.
SELECT levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
       levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
FROM json_each(:ids) AS wanted
CROSS JOIN levels ON levels.product_id = wanted.value
CROSS JOIN products ON products.id = levels.product_id
ORDER BY wanted.key;

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
SELECT COALESCE(SUM(products), 0) AS products FROM category_blocks WHERE category = :category AND size = 65536;

-- name: index_more_products(limit)^
-- Takes at most so many products more into the indexes; no row comes back where all are there.
UPDATE indexed_products
SET upto = (SELECT MAX(id) FROM (SELECT id FROM products WHERE id > upto ORDER BY id LIMIT :limit) AS next)
WHERE EXISTS (SELECT 1 FROM products WHERE id > upto)
RETURNING upto;
