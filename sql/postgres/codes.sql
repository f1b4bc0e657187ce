-- part: given_codes
(
    SELECT *
    FROM json_to_recordset(CAST(:given AS JSON)) AS given (
        product_id BIGINT, code TEXT, is_own BIGINT, pack_quantity BIGINT, note TEXT, created_at TEXT,
        folded_key TEXT, number_key TEXT, main_key TEXT, codabar_key TEXT
    )
)

-- part: further_codes
-- Of a product, as a JSON array of arrays, in their order.
(
    SELECT CAST(COALESCE(json_agg(json_build_array(code, pack_quantity, note) ORDER BY product_codes.id), '[]') AS TEXT)
    FROM product_codes
    WHERE product_id = products.id AND is_own = 0
)
