-- The codes that scans may mean.

-- name: resolve_scans(code, number, main, codabar, folded)^
-- LATERAL with a LIMIT makes each an index look-up, whatever the planner assumes about the arrays.
SELECT CAST(COALESCE(json_agg(found.code), '[]') AS TEXT) AS found
FROM (
    SELECT 'code' AS kind, value, id
    FROM json_array_elements_text(CAST(:code AS JSON)) AS wanted (value)
    CROSS JOIN LATERAL (SELECT id FROM product_codes WHERE code = value LIMIT 1) AS codes
    UNION ALL
    SELECT 'number', value, id
    FROM json_array_elements_text(CAST(:number AS JSON)) AS wanted (value)
    CROSS JOIN LATERAL (SELECT id FROM product_codes WHERE number_key = value {few}) AS codes
    UNION ALL
    SELECT 'main', value, id
    FROM json_array_elements_text(CAST(:main AS JSON)) AS wanted (value)
    CROSS JOIN LATERAL (SELECT id FROM product_codes WHERE main_key = value {few}) AS codes
    UNION ALL
    SELECT 'codabar', value, id
    FROM json_array_elements_text(CAST(:codabar AS JSON)) AS wanted (value)
    CROSS JOIN LATERAL (SELECT id FROM product_codes WHERE codabar_key = value {few}) AS codes
    UNION ALL
    SELECT 'folded', value, id
    FROM json_array_elements_text(CAST(:folded AS JSON)) AS wanted (value)
    CROSS JOIN LATERAL (SELECT id FROM product_codes WHERE folded_key = value {few}) AS codes
) AS matching
CROSS JOIN LATERAL (
    SELECT json_build_array({found_code}) AS code
    FROM product_codes
    JOIN products ON products.id = product_codes.product_id
    JOIN levels ON levels.product_id = product_codes.product_id
    WHERE product_codes.id = matching.id
    LIMIT 1
) AS found;
