-- Which products scans may mean.

-- name: resolve_scans(codes, gtins, printeds, mains, short_gtins, codabars, foldeds)^
-- The products that have one of the wanted keys, each with the kind of the key and its number in the JSON array of that
-- kind (PostgreSQL: json_array_elements_text WITH ORDINALITY); one index look-up for each. Of kinds that many products can
-- share, eleven are enough to know that there are over ten. They come as one JSON array (PostgreSQL: json_agg), because
-- sqlite3 hands the interpreter lock over for every row, which costs more than the row.
-- A `main` is a number that an add-on stands behind, of two or five digits; a comma is the character after the plus sign.
WITH fitting (kind, number, product_id) AS (
    SELECT 'code', wanted.key, products.id
    FROM json_each(:codes) AS wanted
    JOIN products ON product_code = wanted.value
    UNION ALL
    SELECT 'gtin', wanted.key, products.id
    FROM json_each(:gtins) AS wanted
    JOIN products ON gtin = wanted.value
    UNION ALL
    SELECT 'printed', wanted.key, products.id
    FROM json_each(:printeds) AS wanted
    JOIN products ON products.id IN (SELECT id FROM products WHERE printed = wanted.value ORDER BY id LIMIT 11)
    UNION ALL
    SELECT 'main', wanted.key, products.id
    FROM json_each(:mains) AS wanted
    JOIN products ON products.id IN (
        SELECT id
        FROM products
        WHERE printed > wanted.value || '+' AND printed < wanted.value || ','
          AND length(printed) - length(wanted.value) IN (3, 6)
        LIMIT 11
    )
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
)) AS found
FROM fitting
CROSS JOIN products ON products.id = fitting.product_id
CROSS JOIN levels ON levels.product_id = fitting.product_id;
