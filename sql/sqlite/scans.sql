-- The products that scans may mean.

-- name: resolve_scans(code, number, main, codabar, folded)^
-- The products that have one of the wanted keys, each with the kind of the key and its number in the JSON array of that
-- kind; one index look-up for each. If many products share a key, eleven are enough to know that there are more than ten.
-- The result is one JSON array, because sqlite3 hands over the interpreter lock at every row, which costs more than the row.
-- A `main` is a number that is followed by an add-on of two or five digits; a comma is the character after the plus sign.
WITH matching (kind, number, product_id) AS (
    SELECT 'code', wanted.key, products.id
    FROM json_each(:code) AS wanted
    JOIN products ON product_code = wanted.value
    UNION ALL
    SELECT 'number', wanted.key, products.id
    FROM json_each(:number) AS wanted
    JOIN products ON products.id IN (SELECT id FROM products WHERE number_key = wanted.value ORDER BY id LIMIT 11)
    UNION ALL
    SELECT 'main', wanted.key, products.id
    FROM json_each(:main) AS wanted
    JOIN products ON products.id IN (
        SELECT id
        FROM products
        WHERE number_key > wanted.value || '+' AND number_key < wanted.value || ','
          AND length(number_key) - length(wanted.value) IN (3, 6)
        LIMIT 11
    )
    UNION ALL
    SELECT 'codabar', wanted.key, products.id
    FROM json_each(:codabar) AS wanted
    JOIN products
        ON substr(product_code, 2, length(product_code) - 2) = wanted.value AND {has_codabar_letters}
    UNION ALL
    SELECT 'folded', wanted.key, products.id
    FROM json_each(:folded) AS wanted
    JOIN products ON products.id IN (SELECT id FROM products WHERE code_folded = wanted.value ORDER BY id LIMIT 11)
)
SELECT json_group_array(json_array(
    matching.kind, matching.number, products.id, products.product_code, products.description, products.category,
    levels.current_level, levels.minimum_level, levels.last_updated, products.attributes
)) AS found
FROM matching
CROSS JOIN products ON products.id = matching.product_id
CROSS JOIN levels ON levels.product_id = matching.product_id;
