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
