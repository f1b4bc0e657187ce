-- The codes that scans may mean.

-- name: resolve_scans(code, number, main, codabar, folded)^
-- One index look-up for each key. The result is one JSON array, because sqlite3 hands over the interpreter lock at every
-- row, which costs more than the row.
WITH matching (kind, value, id) AS (
    SELECT 'code', wanted.value, codes.id
    FROM json_each(:code) AS wanted
    JOIN product_codes AS codes ON codes.code = wanted.value
    UNION ALL
    SELECT 'number', wanted.value, codes.id
    FROM json_each(:number) AS wanted
    JOIN product_codes AS codes ON codes.id IN (SELECT id FROM product_codes WHERE number_key = wanted.value {few})
    UNION ALL
    SELECT 'main', wanted.value, codes.id
    FROM json_each(:main) AS wanted
    JOIN product_codes AS codes ON codes.id IN (SELECT id FROM product_codes WHERE main_key = wanted.value {few})
    UNION ALL
    SELECT 'codabar', wanted.value, codes.id
    FROM json_each(:codabar) AS wanted
    JOIN product_codes AS codes ON codes.id IN (SELECT id FROM product_codes WHERE codabar_key = wanted.value {few})
    UNION ALL
    SELECT 'folded', wanted.value, codes.id
    FROM json_each(:folded) AS wanted
    JOIN product_codes AS codes ON codes.id IN (SELECT id FROM product_codes WHERE folded_key = wanted.value {few})
)
SELECT json_group_array(json_array({found_code})) AS found
FROM matching
CROSS JOIN product_codes ON product_codes.id = matching.id
CROSS JOIN products ON products.id = product_codes.product_id
CROSS JOIN levels ON levels.product_id = product_codes.product_id;
