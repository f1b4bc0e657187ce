-- The codes of products: the own one of each, and further ones.

-- part: code_columns
product_id, code, is_own, pack_quantity, note, created_at, folded_key, number_key, main_key, codabar_key

-- part: found_code
-- What the look-up of scans returns of a code that has the key `value` of a `kind`, and of its product.
kind, value, is_own, product_codes.code, pack_quantity, products.id, product_code, description, category, current_level,
minimum_level, last_updated, retired, attributes

-- part: few
-- A product has at most 101 codes (MOST_CODES), so more than these belong to several products.
LIMIT 112

-- name: put_codes(given)!
-- :given is a JSON array of objects with these columns.
INSERT INTO product_codes ({code_columns})
SELECT {code_columns}
FROM {given_codes} AS given;

-- name: owner_of_code(code)^
SELECT products.id, products.product_code, products.description, product_codes.id, product_codes.pack_quantity
FROM product_codes
JOIN products ON products.id = product_codes.product_id
WHERE product_codes.code = :code;

-- name: list_further_codes(product_id, id)
-- Those of a product, or the one with an id.
SELECT id, product_id, code, pack_quantity, note, created_at
FROM product_codes
WHERE product_id = :product_id AND is_own = 0 AND (CAST(:id AS BIGINT) IS NULL OR id = :id)
ORDER BY id;

-- name: begin_change_of_codes(id, now)^
-- The own code of a product, which is locked: no two changes of its codes meet.
UPDATE products SET updated_at = :now WHERE id = :id RETURNING product_code;

-- name: remove_further_code(product_id, id)^
DELETE FROM product_codes WHERE id = :id AND product_id = :product_id AND is_own = 0 RETURNING code;

-- name: make_code_former(product_id, note)!
UPDATE product_codes SET is_own = 0, note = :note WHERE product_id = :product_id AND is_own = 1;

-- name: keep_time_of_level(product_id)!
-- Before a movement that moves nothing: counts compare the time of the one before it.
UPDATE levels SET changed_at = {latest_time} WHERE product_id = :product_id AND changed_at IS NULL;

-- name: note_change_of_code(product_id, change_reason, updated_by, now)!
-- A movement that moves nothing says in the history that a product got another code.
{insert_movement}
SELECT product_id, current_level, current_level, :change_reason, :updated_by, :now, NULL, NULL
FROM levels
WHERE product_id = :product_id;

-- name: codes_to_derive(after, limit)
-- The own codes of the next products, for a migration.
SELECT id, product_code, created_at FROM products WHERE id > :after ORDER BY id LIMIT :limit;

-- name: take_numbers(pattern, count)^
-- The last of so many numbers for codes of a pattern; locks them to the end of the transaction.
INSERT INTO made_codes (pattern, last_number) VALUES (:pattern, :count)
ON CONFLICT (pattern) DO UPDATE SET last_number = made_codes.last_number + :count
RETURNING last_number;

-- name: give_numbers_back(pattern, last_number)!
UPDATE made_codes SET last_number = :last_number WHERE pattern = :pattern;

-- name: taken_codes(wanted)
SELECT product_codes.code FROM {wanted} JOIN product_codes ON product_codes.code = wanted.value;
