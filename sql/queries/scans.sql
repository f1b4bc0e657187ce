-- Which products scans may mean.

-- name: resolve_scans(candidates)
-- The products that fit each candidate of each scan. :candidates is a JSON array of [scan, place, key, value]; each branch
-- is one index look-up a candidate (PostgreSQL: json_array_elements). Keys but the last one have few products by their
-- nature: a GTIN has four spellings.
WITH candidates (scan, place, kind, wanted) AS MATERIALIZED (
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:candidates)
),
fitting (scan, place, product_id) AS (
    SELECT scan, place, id FROM candidates JOIN products ON product_code = wanted WHERE kind = 'code'
    UNION ALL
    SELECT scan, place, id FROM candidates JOIN products ON gtin = wanted WHERE kind = 'gtin'
    UNION ALL
    SELECT scan, place, id FROM candidates JOIN products ON short_gtin = wanted WHERE kind = 'short_gtin'
    UNION ALL
    SELECT scan, place, id
    FROM candidates
    JOIN products
        ON substr(product_code, 2, length(product_code) - 2) = wanted
        AND substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
        AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
    WHERE kind = 'codabar'
    UNION ALL
    SELECT scan, place, id
    FROM candidates
    JOIN products ON id IN (SELECT id FROM products WHERE code_folded = wanted ORDER BY id LIMIT 11)
    WHERE kind = 'folded'
)
SELECT fitting.scan, fitting.place, products.id, products.product_code, products.description, products.category,
       levels.current_level, levels.minimum_level, levels.last_updated
FROM fitting
CROSS JOIN products ON products.id = fitting.product_id
CROSS JOIN levels ON levels.product_id = fitting.product_id;
