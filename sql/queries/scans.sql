-- Which products scans may mean.

-- name: resolve_scans(codes, gtins, short_gtins, codabars, foldeds)^
-- The products that have one of the wanted keys, each with the kind of the key and its number in the JSON array of that
-- kind (PostgreSQL: json_array_elements_text WITH ORDINALITY); one index look-up for each. All but the last kind have
-- few products by their nature: a GTIN has four spellings. They come as one JSON array (PostgreSQL: json_agg), because
-- sqlite3 hands the interpreter lock over for every row, which costs more than the row.
WITH fitting (kind, number, product_id) AS (
    SELECT 'code', wanted.key, products.id
    FROM json_each(:codes) AS wanted
    JOIN products ON product_code = wanted.value
    UNION ALL
    SELECT 'gtin', wanted.key, products.id
    FROM json_each(:gtins) AS wanted
    JOIN products ON gtin = wanted.value
    UNION ALL
    SELECT 'short_gtin', wanted.key, products.id
    FROM json_each(:short_gtins) AS wanted
    JOIN products ON short_gtin = wanted.value
    UNION ALL
    SELECT 'codabar', wanted.key, products.id
    FROM json_each(:codabars) AS wanted
    JOIN products
        ON substr(product_code, 2, length(product_code) - 2) = wanted.value
        AND substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
        AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
    UNION ALL
    SELECT 'folded', wanted.key, products.id
    FROM json_each(:foldeds) AS wanted
    JOIN products ON products.id IN (SELECT id FROM products WHERE code_folded = wanted.value ORDER BY id LIMIT 11)
)
SELECT json_group_array(json_array(
    fitting.kind, fitting.number, products.id, products.product_code, products.description, products.category,
    levels.current_level, levels.minimum_level, levels.last_updated
))
FROM fitting
CROSS JOIN products ON products.id = fitting.product_id
CROSS JOIN levels ON levels.product_id = fitting.product_id;
