-- The products that scans may mean.

-- part: numbered
WITH ORDINALITY AS wanted (value, number)

-- name: resolve_scans(code, number, main, codabar, folded)^
-- The products that have one of the wanted keys, each with the kind of the key and its number in the JSON array of that
-- kind. If many products share a key, eleven are enough to know that there are more than ten. LATERAL with a LIMIT makes
-- each an index look-up, whatever the planner assumes about the arrays. The result is one JSON array, as in SQLite.
-- A `main` is a number that is followed by an add-on of two or five digits; a comma is the character after the plus sign.
SELECT CAST(COALESCE(json_agg(json_build_array(
    matching.kind, matching.number - 1, product.id, product.product_code, product.description, product.category,
    product.current_level, product.minimum_level, product.last_updated, product.attributes
)), '[]') AS TEXT) AS found
FROM (
    SELECT 'code' AS kind, number, product_id
    FROM json_array_elements_text(CAST(:code AS JSON)) {numbered}
    CROSS JOIN LATERAL (SELECT id FROM products WHERE product_code = value LIMIT 1) AS found (product_id)
    UNION ALL
    SELECT 'number', number, product_id
    FROM json_array_elements_text(CAST(:number AS JSON)) {numbered}
    CROSS JOIN LATERAL (SELECT id FROM products WHERE number_key = value ORDER BY id LIMIT 11) AS found (product_id)
    UNION ALL
    SELECT 'main', number, product_id
    FROM json_array_elements_text(CAST(:main AS JSON)) {numbered}
    CROSS JOIN LATERAL (
        SELECT id
        FROM products
        WHERE number_key > value || '+' AND number_key < value || ',' AND length(number_key) - length(value) IN (3, 6)
        LIMIT 11
    ) AS found (product_id)
    UNION ALL
    SELECT 'codabar', number, product_id
    FROM json_array_elements_text(CAST(:codabar AS JSON)) {numbered}
    CROSS JOIN LATERAL (
        SELECT id
        FROM products
        WHERE substr(product_code, 2, GREATEST(length(product_code) - 2, 0)) = value AND {has_codabar_letters}
        LIMIT 11
    ) AS found (product_id)
    UNION ALL
    SELECT 'folded', number, product_id
    FROM json_array_elements_text(CAST(:folded AS JSON)) {numbered}
    CROSS JOIN LATERAL (SELECT id FROM products WHERE code_folded = value ORDER BY id LIMIT 11) AS found (product_id)
) AS matching
CROSS JOIN LATERAL (
    SELECT products.id, product_code, description, category, current_level, minimum_level, last_updated, attributes
    FROM products
    JOIN levels ON levels.product_id = products.id
    WHERE products.id = matching.product_id
    LIMIT 1
) AS product;
