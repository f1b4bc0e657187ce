-- Which products scans may mean.

-- name: resolve_scans(codes, gtins, printeds, mains, short_gtins, codabars, foldeds)^
-- The products that have one of the wanted keys, each with the kind of the key and its number in the JSON array of that
-- kind. Of kinds that many products can share, eleven are enough to know that there are over ten. LATERAL with a LIMIT
-- makes each an index look-up, whatever the planner supposes of the arrays. They come as one JSON array, as in SQLite.
-- A `main` is a number that an add-on stands behind, of two or five digits; a comma is the character after the plus sign.
SELECT CAST(COALESCE(json_agg(json_build_array(
    fitting.kind, fitting.number - 1, fitting.id, fitting.product_code, fitting.description, fitting.category,
    level.current_level, level.minimum_level, level.last_updated
)), '[]') AS TEXT) AS found
FROM (
    SELECT 'code' AS kind, wanted.number, found.*
    FROM json_array_elements_text(CAST(:codes AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE product_code = wanted.value
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'gtin', wanted.number, found.*
    FROM json_array_elements_text(CAST(:gtins AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE gtin = wanted.value
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'printed', wanted.number, found.*
    FROM json_array_elements_text(CAST(:printeds AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE printed = wanted.value
        ORDER BY id
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'main', wanted.number, found.*
    FROM json_array_elements_text(CAST(:mains AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE printed > wanted.value || '+' AND printed < wanted.value || ','
          AND length(printed) - length(wanted.value) IN (3, 6)
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'short_gtin', wanted.number, found.*
    FROM json_array_elements_text(CAST(:short_gtins AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE short_gtin = wanted.value
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'codabar', wanted.number, found.*
    FROM json_array_elements_text(CAST(:codabars AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE substr(product_code, 2, GREATEST(length(product_code) - 2, 0)) = wanted.value
          AND substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
          AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
        LIMIT 11
    ) AS found
    UNION ALL
    SELECT 'folded', wanted.number, found.*
    FROM json_array_elements_text(CAST(:foldeds AS JSON)) WITH ORDINALITY AS wanted (value, number)
    CROSS JOIN LATERAL (
        SELECT id, product_code, description, category
        FROM products
        WHERE code_folded = wanted.value
        ORDER BY id
        LIMIT 11
    ) AS found
) AS fitting
CROSS JOIN LATERAL (
    SELECT current_level, minimum_level, last_updated FROM levels WHERE product_id = fitting.id LIMIT 1
) AS level;
