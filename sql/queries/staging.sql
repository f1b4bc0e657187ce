-- The rows of an import: written to a file first, then merged into the catalogue in chunks. The file is open as the table
-- `staged_rows`, with each code once. NULL is a blank cell: a new product gets the default, and a stored product keeps its
-- value. Rows without a code get one before they are merged.

-- part: staged_columns
-- Behind the position, which counts from 1 without gaps; `number` is that of the row in the spreadsheet.
number             BIGINT NOT NULL,
product_code       {text},
description        {text},
category           {text},
unit_of_measure    {text},
code_folded        {text},
description_folded {text} NOT NULL,
number_key         {text},
main_key           {text},
codabar_key        {text},
initial_level      BIGINT,
minimum_level      BIGINT,
maximum_level      BIGINT,
attributes         {text} NOT NULL,
other_codes        {text}

-- part: is_new
position > :after AND position <= :upto AND given.description IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM product_codes WHERE product_codes.code = given.product_code)

-- part: is_stored
given.position > :after AND given.position <= :upto
  AND products.product_code = given.product_code AND levels.product_id = products.id

-- part: from_stored
-- The rows whose products exist, with product and level. CROSS JOIN keeps SQLite from beginning with the products.
FROM staged_rows AS given
CROSS JOIN products
CROSS JOIN levels
WHERE {is_stored}

-- part: merged_minimum
COALESCE(given.minimum_level, levels.minimum_level)

-- part: merged_maximum
COALESCE(given.maximum_level, levels.maximum_level)

-- part: is_consistent
-- After the merge the maximum is not below the minimum, 0 meaning no maximum, and there are at most 32 attributes.
({merged_maximum} = 0 OR {merged_maximum} >= {merged_minimum})
  AND (given.attributes = '{}' OR {attributes_after} <= 32)

-- part: booked_level
-- :added is 1 for an amount that is added to the level, 0 for one that replaces it.
levels.current_level * :added + given.initial_level

-- part: is_booked
-- A row without an amount books nothing, and neither does one that adds 0.
given.initial_level >= :added AND {booked_level} <= :greatest_level

-- part: merged_attributes
CASE given.attributes WHEN '{}' THEN products.attributes ELSE {both_attributes} END

-- name: begin_import(now)^
INSERT INTO imports (started_at) VALUES (:now) RETURNING id;

-- name: last_product_id()^
SELECT COALESCE(MAX(id), 0) AS last FROM products;

-- name: insert_staged_products(after, upto, first_id, unit, now)
-- Returns the ids of the new products, in the order of their rows.
INSERT INTO products (
    id, product_code, description, category, unit_of_measure, attributes, created_at, updated_at,
    code_folded, description_folded
)
SELECT {new_product_id}, product_code, description, COALESCE(category, ''), COALESCE(unit_of_measure, :unit), attributes,
       :now, :now, code_folded, description_folded
FROM staged_rows AS given
WHERE {is_new}
ORDER BY position
RETURNING id;

-- name: insert_staged_codes(after, upto, last_id, now)!
-- The products above :last_id are the ones inserted just before.
INSERT INTO product_codes ({code_columns})
SELECT products.id, given.product_code, 1, 1, '', :now, given.code_folded, given.number_key, given.main_key,
       given.codabar_key
FROM staged_rows AS given
CROSS JOIN products
WHERE given.position > :after AND given.position <= :upto
  AND products.product_code = given.product_code AND products.id > :last_id
ORDER BY given.position;

-- name: insert_staged_other_codes(after, upto, last_id, now)!
INSERT INTO product_codes ({code_columns})
SELECT products.id, {other_code_columns}
FROM staged_rows AS given
CROSS JOIN products
CROSS JOIN {each_other_code}
WHERE given.position > :after AND given.position <= :upto AND given.other_codes IS NOT NULL
  AND products.product_code = given.product_code AND products.id > :last_id
ORDER BY given.position;

-- name: remove_replaced_codes(after, upto, former)!
-- Of the products that a row updates, the further codes that its cell does not have. Former codes stay, because labels have
-- them.
DELETE FROM product_codes
WHERE id IN (
    SELECT stored.id
    FROM staged_rows AS given
    CROSS JOIN products
    CROSS JOIN levels
    CROSS JOIN product_codes AS stored
    WHERE {is_stored} AND given.other_codes IS NOT NULL AND {is_consistent}
      AND stored.product_id = products.id AND stored.is_own = 0 AND stored.note <> :former
      AND NOT EXISTS (SELECT 1 FROM {each_other_code} WHERE {other_code} = stored.code)
);

-- name: put_replacing_codes(after, upto, now)!
-- A code that another replica has given to another product meanwhile is none of these rows': a pack of 0 violates the table,
-- so the import begins anew, and refuses the row.
INSERT INTO product_codes ({code_columns})
SELECT products.id, {other_code_columns}
FROM staged_rows AS given
CROSS JOIN products
CROSS JOIN levels
CROSS JOIN {each_other_code}
WHERE {is_stored} AND given.other_codes IS NOT NULL AND {is_consistent}
ORDER BY given.position
ON CONFLICT (code) DO UPDATE
SET pack_quantity = CASE
        WHEN product_codes.product_id = excluded.product_id AND product_codes.is_own = 0 THEN excluded.pack_quantity
        ELSE 0
    END,
    note = excluded.note;

-- name: rows_with_taken_codes(after, upto, updates)
-- The rows with a code of another product: their own one, or a further one if it is written.
SELECT given.position, given.number, given.product_code, given.description, given.product_code AS code, owner.product_code AS owner
FROM staged_rows AS given
CROSS JOIN product_codes AS stored
CROSS JOIN products AS owner
WHERE given.position > :after AND given.position <= :upto
  AND stored.code = given.product_code AND stored.is_own = 0 AND owner.id = stored.product_id
UNION ALL
SELECT given.position, given.number, given.product_code, given.description, stored.code, owner.product_code
FROM staged_rows AS given
CROSS JOIN {each_other_code}
CROSS JOIN product_codes AS stored
CROSS JOIN products AS owner
WHERE given.position > :after AND given.position <= :upto AND given.other_codes IS NOT NULL
  AND stored.code = {other_code} AND owner.id = stored.product_id AND owner.product_code <> given.product_code
  AND (:updates = 1 OR NOT EXISTS (SELECT 1 FROM product_codes AS own WHERE own.code = given.product_code))
ORDER BY 1;

-- name: leave_out_rows(wanted)!
DELETE FROM staged_rows WHERE position IN (SELECT CAST(value AS BIGINT) FROM {wanted});

-- name: rows_without_code(after, upto)
SELECT position
FROM staged_rows AS given
WHERE position > :after AND position <= :upto AND product_code IS NULL
ORDER BY position;

-- name: give_codes_to_rows(given)!
-- :given is a JSON array of objects with the position of a row, its code and the keys of that.
UPDATE staged_rows
SET product_code = made.code, code_folded = made.folded_key, number_key = made.number_key, main_key = made.main_key,
    codabar_key = made.codabar_key
FROM {given_codes} AS made
WHERE staged_rows.position = made.product_id;

-- name: codes_taken_or_staged(wanted)
SELECT code FROM product_codes WHERE code IN (SELECT value FROM {wanted})
UNION ALL
SELECT product_code FROM staged_rows WHERE product_code IN (SELECT value FROM {wanted})
UNION ALL
SELECT {other_code}
FROM staged_rows AS given
CROSS JOIN {each_other_code}
WHERE {other_code} IN (SELECT value FROM {wanted});

-- name: insert_staged_levels(after, upto, first_id, last_id, updated_by, now)!
INSERT INTO levels (id, product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
SELECT {new_level_id}, products.id, COALESCE(given.initial_level, 0), COALESCE(given.minimum_level, 0),
       COALESCE(given.maximum_level, 0), :now, :updated_by
FROM staged_rows AS given
CROSS JOIN products
WHERE given.position > :after AND given.position <= :upto
  AND products.product_code = given.product_code AND products.id > :last_id
ORDER BY given.position;

-- name: insert_staged_movements(after, upto, first_id, last_id, change_reason, updated_by, now, import_id)!
INSERT INTO movements (id, product_id, old_level, new_level, change_reason, updated_by, updated_at, import_id)
SELECT {new_movement_id}, products.id, 0, given.initial_level, :change_reason, :updated_by, :now, :import_id
FROM staged_rows AS given
CROSS JOIN products
WHERE given.position > :after AND given.position <= :upto AND given.initial_level > 0
  AND products.product_code = given.product_code AND products.id > :last_id
ORDER BY given.position;

-- name: contradicting_rows(after, upto)
-- The rows whose products would get a maximum below the minimum, or too many attributes; the statements below skip them.
SELECT given.number, given.product_code, given.description,
       given.minimum_level AS given_minimum, given.maximum_level AS given_maximum,
       {merged_minimum} AS minimum_level, {merged_maximum} AS maximum_level,
       CASE given.attributes WHEN '{}' THEN 0 ELSE {attributes_after} END AS attributes
{from_stored} AND NOT ({is_consistent})
ORDER BY given.position;

-- name: update_staged_products(after, upto, now)!
-- The folded text of a row has the values that the row gives. That of a product which keeps others as well stays until it
-- is folded again, see merged_texts.
UPDATE products
SET description = given.description,
    description_folded = CASE
        WHEN products.attributes = '{}' THEN given.description_folded
        WHEN given.attributes = '{}' THEN given.description_folded || {values_folded}
        WHEN {both_attributes} = given.attributes THEN given.description_folded
        ELSE products.description_folded
    END,
    category = COALESCE(given.category, products.category),
    unit_of_measure = COALESCE(given.unit_of_measure, products.unit_of_measure),
    attributes = {merged_attributes},
    updated_at = :now
FROM staged_rows AS given, levels
WHERE {is_stored}
  AND {is_consistent};

-- name: merged_texts(after, upto, limit)
-- After the merge, the texts of the products that keep attributes besides those of their rows.
SELECT given.position, products.id, products.description, products.attributes
FROM staged_rows AS given
CROSS JOIN products
WHERE given.position > :after AND given.position <= :upto AND given.attributes <> '{}'
  AND products.product_code = given.product_code AND products.attributes <> given.attributes
ORDER BY given.position
LIMIT :limit;

-- name: update_staged_levels(after, upto)!
UPDATE levels
SET minimum_level = {merged_minimum},
    maximum_level = {merged_maximum}
FROM staged_rows AS given, products
WHERE {is_stored}
  AND ({merged_minimum} <> levels.minimum_level OR {merged_maximum} <> levels.maximum_level)
  AND {is_consistent};

-- name: lock_staged_levels(after, upto)
-- In the order of product ids, as lock_levels: a movement has to begin at the level that is then replaced.
SELECT levels.product_id
{from_stored} AND given.initial_level IS NOT NULL
ORDER BY levels.product_id
{lock_of_levels};

-- name: insert_booked_movements(after, upto, first_id, added, greatest_level, change_reason, updated_by, now, import_id)!
INSERT INTO movements (id, product_id, old_level, new_level, change_reason, updated_by, updated_at, import_id)
SELECT {new_movement_id}, products.id, levels.current_level, {booked_level}, :change_reason, :updated_by, :now, :import_id
{from_stored} AND {is_booked}
ORDER BY given.position;

-- name: update_booked_levels(after, upto, added, greatest_level, updated_by, now)!
UPDATE levels
SET current_level = {booked_level},
    last_updated = :now,
    updated_by = :updated_by,
    changed_at = CASE WHEN changed_at > :now THEN changed_at ELSE :now END
FROM staged_rows AS given, products
WHERE {is_stored}
  AND {is_booked};

-- name: unknown_rows(after, upto)
-- The rows that book a product which does not exist, and cannot create it without a description.
SELECT number, product_code
FROM staged_rows AS given
WHERE position > :after AND position <= :upto AND description IS NULL
  AND NOT EXISTS (SELECT 1 FROM product_codes WHERE product_codes.code = given.product_code)
ORDER BY position;

-- name: rows_of_other_names(after, upto, most)
-- Rows whose description is not that of the product with their code.
SELECT given.number, given.product_code, products.description, given.description
{from_stored}
  AND given.description <> products.description
ORDER BY given.position
LIMIT :most;

-- name: rows_beyond_range(after, upto, greatest_level)
-- The rows that would bring a level above the greatest one; the statements above skip them.
SELECT given.number, given.product_code, products.description, given.initial_level, levels.current_level
{from_stored}
  AND levels.current_level + given.initial_level > :greatest_level
ORDER BY given.position;

-- name: count_levels_ignored(after, upto)^
-- The rows with another level than their products have.
SELECT COUNT(*) AS counted
{from_stored}
  AND given.initial_level <> levels.current_level;

-- name: levels_before(after, upto, limit)
-- Before the merge, the levels of the first rows whose products exist.
SELECT given.number, levels.current_level
{from_stored}
ORDER BY given.position
LIMIT :limit;

-- name: merged_rows(after, upto, limit)
-- After the merge, the first rows with their products.
SELECT given.number, products.product_code, products.description, products.category, products.unit_of_measure,
       levels.current_level, levels.minimum_level, levels.maximum_level, {further_codes} AS other_codes, products.attributes,
       given.initial_level
{from_stored}
ORDER BY given.position
LIMIT :limit;
