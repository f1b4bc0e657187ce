-- part: given_codes
(
    SELECT json_extract(value, '$.product_id') AS product_id, json_extract(value, '$.code') AS code,
           json_extract(value, '$.is_own') AS is_own, json_extract(value, '$.pack_quantity') AS pack_quantity,
           json_extract(value, '$.note') AS note, json_extract(value, '$.created_at') AS created_at,
           json_extract(value, '$.folded_key') AS folded_key, json_extract(value, '$.number_key') AS number_key,
           json_extract(value, '$.main_key') AS main_key, json_extract(value, '$.codabar_key') AS codabar_key
    FROM json_each(:given)
)

-- part: further_codes
-- Of a product, as a JSON array of arrays, in their order.
(
    SELECT json_group_array(json_array(code, pack_quantity, note))
    FROM (SELECT code, pack_quantity, note FROM product_codes WHERE product_id = products.id AND is_own = 0 ORDER BY id)
)
