-- The catalogue. One statement reads a page and the total, so both are of one moment: every row begins with the total, as
-- does the empty row of a page past the end.

-- part: search_order
-- The order of all searches: the code itself, the same code in another case or as another spelling of a number, codes that
-- begin with it, and all others; each group by id. Codes are printable ASCII, so those that begin with :folded sort before
-- :after, which is :folded and U+007F.
CASE
    WHEN products.id IN {named} AND product_code <> :text THEN 1
    WHEN code_folded < :folded OR code_folded >= :after THEN 3
    WHEN product_code = :text THEN 0
    WHEN code_folded = :folded THEN 1
    ELSE 2
END

-- part: description_start
-- By which descriptions are sorted: an index entry of PostgreSQL has room for 100 characters of any script. The values of
-- attributes follow after a line feed.
substr(substr(description_folded, 1, {place_of}(description_folded || {line_feed}, {line_feed}) - 1), 1, 100)

-- part: values_folded
-- The values of a product's attributes, folded, with the line feed before them.
substr(products.description_folded, {place_of}(products.description_folded || {line_feed}, {line_feed}))

-- part: sorting
-- What a product is sorted by, a text or a number: by the column :sorted_by, or by its place in a search if that is ''.
{sorting_text},
CASE :sorted_by
    WHEN '' THEN {search_order}
    WHEN 'current_level' THEN (SELECT current_level FROM levels WHERE levels.product_id = products.id)
END

-- part: sorting_with_level
-- The same for a statement that reads the level as well.
{sorting_text},
CASE :sorted_by WHEN '' THEN {search_order} WHEN 'current_level' THEN levels.current_level END

-- part: sorting_text
CASE :sorted_by
    WHEN 'product_code' THEN code_folded
    WHEN 'description' THEN {description_start}
    WHEN 'updated_at' THEN updated_at
END

-- part: in_order
-- With ties by id; :descending reverses the whole order.
ORDER BY
    CASE WHEN :descending = 0 THEN text END, CASE WHEN :descending = 1 THEN text END DESC,
    CASE WHEN :descending = 0 THEN number ELSE -number END,
    CASE WHEN :descending = 0 THEN id ELSE -id END

-- part: matching_page
-- One page of the products in `matching (id, text, number)`.
SELECT counted.total, page.id, page.product_code, page.description, page.category, page.unit_of_measure, page.created_at,
       page.updated_at, page.attributes
FROM (SELECT COUNT(*) AS total FROM matching) AS counted
LEFT JOIN (
    SELECT text, number, {product_columns}
    FROM (SELECT id, text, number FROM matching {in_order} LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
{in_order}

-- part: has_words
-- :word is the longest word of a search; `other_words` has the others, and mostly none.
({place_of}(code_folded, :word) > 0 OR {place_of}(description_folded, :word) > 0) AND {has_other_words}

-- part: is_found
-- Has the words, or is named by the search as a number in another spelling: mostly, there is none of these.
(({has_words}) OR products.id IN {named})

-- part: has_other_words
NOT EXISTS (
    SELECT 1 FROM other_words WHERE {place_of}(code_folded, word) = 0 AND {place_of}(description_folded, word) = 0
)

-- part: moved
-- The products with a movement since a time. For the plus, SQLite uses the index of times instead of that of products.
SELECT DISTINCT +product_id AS product_id FROM level_changes WHERE updated_at >= :moved_since

-- name: get_product(id)^
SELECT {product_columns} FROM products WHERE id = :id;

-- name: get_product_by_code(product_code)^
SELECT {product_columns} FROM products WHERE product_code = :product_code;

-- name: list_products(limit, offset)
-- Only entries of an index are skipped; products are read for the page alone.
SELECT counted.total, page.*
FROM (SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) AS total FROM product_counts) AS counted
LEFT JOIN (
    SELECT {product_columns}
    FROM (SELECT id FROM products ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: list_products_in_category(category, limit, offset)
SELECT counted.total, page.*
FROM (
    SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) AS total FROM product_counts WHERE category = :category
) AS counted
LEFT JOIN (
    SELECT {product_columns}
    FROM (SELECT id FROM products WHERE category = :category ORDER BY id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: count_in_category(category)^
SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) AS products FROM product_counts WHERE category = :category;

-- name: search_without_index(text, folded, after, named, word, other_words, sorted_by, descending, limit, offset)
-- Compares the texts of all products; for words shorter than a trigram.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT id, {sorting} FROM products WHERE {is_found}
)
{matching_page};

-- name: search_category(text, folded, after, named, category, word, other_words, sorted_by, descending, limit, offset)
-- Compares the texts of the products of a category; for words shorter than a trigram, and for small categories.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT id, {sorting} FROM products WHERE category = :category AND {is_found}
)
{matching_page};

-- name: list_moved_products(moved_since, limit, offset)
-- The products with a movement since a time, by id.
WITH moved (product_id) AS MATERIALIZED ({moved})
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM moved) AS counted
LEFT JOIN (
    SELECT {product_columns}
    FROM (SELECT product_id FROM moved ORDER BY product_id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.product_id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: search_moved_products(moved_since, text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset)
-- Those of them that match; reads all of them.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting_with_level}
    FROM ({moved}) AS moved
    CROSS JOIN products
    CROSS JOIN levels
    WHERE products.id = moved.product_id
      AND levels.product_id = moved.product_id
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND ({in_stock_bounds})
      AND {is_found}
)
{matching_page};

-- name: list_low_products(least_minimum, most_level, limit, offset)
-- The products with levels at or below their minimum, within bounds.
SELECT counted.total, page.*
FROM (SELECT COUNT(*) AS total FROM ({low}) AS low) AS counted
LEFT JOIN (
    SELECT {product_columns}
    FROM (SELECT product_id FROM ({low}) AS low ORDER BY product_id LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.product_id
) AS page ON 1 = 1
ORDER BY page.id;

-- name: search_low_products(text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset)
-- Those of them with all words in their texts; reads the whole index of low levels.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting}
    FROM ({low}) AS low
    CROSS JOIN products
    WHERE products.id = low.product_id
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND {is_found}
)
{matching_page};

-- name: search_low_in_category(text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset)
-- The same in a small category; reads all of its products.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting_with_level}
    FROM products
    CROSS JOIN levels
    WHERE category = :category
      AND levels.product_id = products.id
      AND current_level <= minimum_level AND minimum_level >= :least_minimum AND current_level <= :most_level
      AND {is_found}
)
{matching_page};

-- name: product_texts_by_codes(wanted)
-- The texts of these products for labels. :wanted is a JSON array, so one statement takes any number of codes.
SELECT products.product_code, products.description, products.category, products.unit_of_measure, products.attributes
FROM {wanted}
JOIN products ON products.product_code = wanted.value;

-- name: insert_product(product_code, description, category, unit_of_measure, attributes, now, code_folded, description_folded, number_key, idempotency_key, expired)^
-- Writes nothing and returns no row if there is a product with this code, or a reply under the key.
INSERT INTO products (
    product_code, description, category, unit_of_measure, attributes, created_at, updated_at,
    code_folded, description_folded, number_key
)
SELECT :product_code, :description, :category, :unit_of_measure, :attributes, :now, :now,
       :code_folded, :description_folded, :number_key
WHERE NOT EXISTS (SELECT 1 FROM products WHERE product_code = :product_code) AND {has_no_reply}
RETURNING {product_columns};

-- name: update_product(id, description, description_folded, category, unit_of_measure, attributes, now)^
-- NULL keeps a column as it is. Without other attributes, a folded description gets the values that are there.
UPDATE products
SET description = COALESCE(:description, description),
    description_folded = COALESCE(
        :description_folded || CASE WHEN CAST(:attributes AS TEXT) IS NULL THEN {values_folded} ELSE '' END,
        description_folded
    ),
    category = COALESCE(:category, category),
    unit_of_measure = COALESCE(:unit_of_measure, unit_of_measure),
    attributes = COALESCE(:attributes, attributes),
    updated_at = :now
WHERE id = :id
RETURNING {product_columns};

-- name: lock_texts(id)^
-- The texts of a product that is about to get others.
SELECT description, attributes FROM products WHERE id = :id {lock};

-- name: attribute_names()
-- The names that products have.
SELECT name FROM attribute_counts GROUP BY name HAVING SUM(products) > 0 ORDER BY name;

-- name: lock_names()!
-- Until the end of the transaction, no other one adds what the database has a limited number of.
SELECT {lock_of_names};

-- name: delete_product(id)^
DELETE FROM products
WHERE id = :id
RETURNING product_code;

-- name: put_folded_descriptions(given)!
-- :given is a JSON object with the folded texts of products by their ids.
UPDATE products
SET description_folded = given.value
FROM {given}
WHERE products.id = CAST(given.key AS BIGINT) AND description_folded <> given.value;
