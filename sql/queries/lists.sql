-- Lists of products. One statement reads a page and the total, so both are of one moment: every row begins with the total,
-- as does the empty row of a page past the end.

-- part: page_columns
counted.total, page.id, page.product_code, page.description, page.category, page.unit_of_measure, page.created_at,
page.updated_at, page.retired, page.attributes

-- part: page
-- The products in `chosen (id, sorted_by)`, with the total in `counted (total)`: only entries of an index are skipped, and
-- products are read for the page alone.
SELECT {page_columns}
FROM counted
LEFT JOIN (
    SELECT sorted_by, {product_columns}
    FROM chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1

-- part: by_id
ORDER BY 1 LIMIT :limit OFFSET :offset

-- part: ascending
-- By the column `sorted_by` of `chosen`, equal values by id; a descending order is the whole order reversed.
ORDER BY 2, 1 LIMIT :limit OFFSET :offset

-- part: ascending_page
{page} ORDER BY page.sorted_by, page.id

-- part: descending
ORDER BY 2 DESC, 1 DESC LIMIT :limit OFFSET :offset

-- part: descending_page
{page} ORDER BY page.sorted_by DESC, page.id DESC

-- part: is_listed
-- Most lists leave out what is retired; :least_retired and :most_retired are 0 and 0, or 1 and 1, or 0 and 1.
products.retired BETWEEN :least_retired AND :most_retired

-- part: is_not_retired
product_id NOT IN (SELECT id FROM products WHERE retired = 1)

-- part: all_counted
-- The counters have all products, so those that are retired are subtracted.
counted (total) AS (
    SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) - (SELECT COUNT(*) FROM products WHERE retired = 1)
    FROM product_counts
)

-- part: description_start
-- By which descriptions are sorted: an index entry of PostgreSQL has room for 100 characters of any script. The values of
-- attributes follow after a line feed.
substr(substr(description_folded, 1, {place_of}(description_folded || {line_feed}, {line_feed}) - 1), 1, 100)

-- name: count_products()^
WITH {all_counted} SELECT total FROM counted;

-- name: copy_products(limit)
-- The first products, as devices keep them for look-ups.
SELECT products.id, product_code, description, unit_of_measure, current_level
FROM products
JOIN levels ON levels.product_id = products.id
WHERE retired = 0
ORDER BY products.id
LIMIT :limit;

-- name: copy_codes(limit)
-- The further codes of these products.
SELECT product_id, code, pack_quantity
FROM product_codes
WHERE is_own = 0 AND product_id IN (SELECT id FROM products WHERE retired = 0 ORDER BY id LIMIT :limit)
ORDER BY product_id, id
LIMIT :limit;

-- name: catalogue_marks()
-- What differs after every change of a product or a level: numbers that only rise, and the newest entries of indexes. On
-- PostgreSQL a transaction may become visible after one with higher ids or later times, which is why one entry is too few.
-- The times tell a restored database, which gives the ids of lost rows again, and the texts two changes of one millisecond.
WITH {all_counted}
SELECT 'total' AS kind, CAST(total AS BIGINT) AS id, '' AS at FROM counted
UNION ALL
SELECT 'last', COALESCE(MAX(id), 0), '' FROM products
UNION ALL
SELECT 'coded', pack_quantity, code
FROM (SELECT pack_quantity, code FROM product_codes ORDER BY id DESC LIMIT 5) AS coded
UNION ALL
SELECT 'changed', id, updated_at || ' ' || unit_of_measure || ' ' || description
FROM (
    SELECT id, updated_at, unit_of_measure, description
    FROM products
    WHERE retired = 0
    ORDER BY updated_at DESC, id DESC
    LIMIT 50
) AS changed
UNION ALL
SELECT 'moved', id, updated_at FROM (SELECT id, updated_at FROM movements ORDER BY id DESC LIMIT 50) AS moved
UNION ALL
SELECT 'imported', id, started_at FROM (SELECT id, started_at FROM imports ORDER BY id DESC LIMIT 5) AS imported;

-- name: list_products(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, 0 FROM products WHERE retired = 0 {by_id}) {ascending_page};

-- name: list_products_descending(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, id FROM products WHERE retired = 0 {descending}) {descending_page};

-- name: list_products_by_code(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, code_folded FROM products WHERE retired = 0 {ascending}) {ascending_page};

-- name: list_products_by_code_descending(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, code_folded FROM products WHERE retired = 0 {descending}) {descending_page};

-- name: list_products_by_description(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, {description_start} FROM products WHERE retired = 0 {ascending}) {ascending_page};

-- name: list_products_by_description_descending(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, {description_start} FROM products WHERE retired = 0 {descending})
{descending_page};

-- name: list_products_by_change(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, updated_at FROM products WHERE retired = 0 {ascending}) {ascending_page};

-- name: list_products_by_change_descending(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT id, updated_at FROM products WHERE retired = 0 {descending}) {descending_page};

-- name: list_products_by_level(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT product_id, current_level FROM levels WHERE {is_not_retired} {ascending}) {ascending_page};

-- name: list_products_by_level_descending(limit, offset)
WITH {all_counted}, chosen (id, sorted_by) AS (SELECT product_id, current_level FROM levels WHERE {is_not_retired} {descending})
{descending_page};

-- name: count_in_category(category)^
SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) AS products FROM product_counts WHERE category = :category;

-- name: list_products_in_category(category, limit, offset)
WITH counted (total) AS (
    SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT)
           - (SELECT COUNT(*) FROM products WHERE retired = 1 AND category = :category)
    FROM product_counts
    WHERE category = :category
),
chosen (id, sorted_by) AS (SELECT id, 0 FROM products WHERE category = :category AND retired = 0 {by_id})
{ascending_page};

-- part: low
-- Entries of the index `levels_low` alone.
SELECT product_id FROM levels WHERE {is_low}

-- part: low_counted
counted (total) AS (SELECT COUNT(*) FROM ({low}) AS low WHERE {is_not_retired})

-- part: low_chosen
chosen (id, sorted_by) AS (SELECT product_id, 0 FROM ({low}) AS low WHERE {is_not_retired} {by_id})

-- name: list_low_products(least_minimum, most_level, limit, offset)
-- The products with levels at or below their minimum, within bounds.
WITH {low_counted}, {low_chosen} {ascending_page};

-- part: moved
-- The products with a movement since a time. For the plus, SQLite uses the index of times instead of that of products.
SELECT DISTINCT +product_id AS product_id FROM movements WHERE updated_at >= :moved_since

-- name: list_moved_products(moved_since, limit, offset)
-- The products with a movement since a time, by id.
WITH moved (product_id) AS MATERIALIZED (SELECT product_id FROM ({moved}) AS moved WHERE {is_not_retired}),
counted (total) AS (SELECT COUNT(*) FROM moved),
chosen (id, sorted_by) AS (SELECT product_id, 0 FROM moved {by_id})
{ascending_page};

-- Searches: their products are in `matching (id, text, number)`, where a text or a number says how they are sorted.

-- part: matching_page
SELECT {page_columns}
FROM (SELECT COUNT(*) AS total FROM matching) AS counted
LEFT JOIN (
    SELECT text, number, {product_columns}
    FROM (SELECT id, text, number FROM matching {in_order} LIMIT :limit OFFSET :offset) AS chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1
{in_order}

-- part: in_order
-- With ties by id; :descending reverses the whole order.
ORDER BY
    CASE WHEN :descending = 0 THEN text END, CASE WHEN :descending = 1 THEN text END DESC,
    CASE WHEN :descending = 0 THEN number ELSE -number END,
    CASE WHEN :descending = 0 THEN id ELSE -id END

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

-- part: has_words
-- :word is the longest word of a search; `other_words` has the others, and mostly none.
({place_of}(code_folded, :word) > 0 OR {place_of}(description_folded, :word) > 0) AND {has_other_words}

-- part: has_other_words
NOT EXISTS (
    SELECT 1 FROM other_words WHERE {place_of}(code_folded, word) = 0 AND {place_of}(description_folded, word) = 0
)

-- part: is_found
-- Has the words, or is named by the search as a number in another spelling: mostly, there is none of these.
(({has_words}) OR products.id IN {named})

-- part: in_category
(CAST(:category AS TEXT) IS NULL OR category = :category)

-- name: product_with_code(product_code, named, word, other_words, category, least_minimum, most_level, moved_since, least_retired, most_retired)^
-- The product with exactly this code, if the other filters select it; looks at its newest movements first.
WITH {other_words}
SELECT {product_columns}
FROM products
JOIN levels ON levels.product_id = products.id
WHERE product_code = :product_code AND {in_category} AND ({in_stock_bounds}) AND {is_listed} AND {is_found}
  AND (CAST(:moved_since AS TEXT) IS NULL OR (
      SELECT id FROM movements WHERE product_id = products.id AND updated_at >= :moved_since ORDER BY id DESC LIMIT 1
  ) IS NOT NULL);

-- name: search_without_index(text, folded, after, named, word, other_words, sorted_by, descending, limit, offset, least_retired, most_retired)
-- Compares the texts of all products; for words shorter than a trigram.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (SELECT id, {sorting} FROM products WHERE {is_listed} AND {is_found})
{matching_page};

-- name: search_category(text, folded, after, named, category, word, other_words, sorted_by, descending, limit, offset, least_retired, most_retired)
-- Compares the texts of the products of a category; for words shorter than a trigram, and for small categories.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT id, {sorting} FROM products WHERE category = :category AND {is_listed} AND {is_found}
)
{matching_page};

-- name: search_moved_products(moved_since, text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset, least_retired, most_retired)
-- Compares the texts of all products with a movement since a time.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting_with_level}
    FROM ({moved}) AS moved
    CROSS JOIN products
    CROSS JOIN levels
    WHERE products.id = moved.product_id AND levels.product_id = moved.product_id
      AND {in_category} AND ({in_stock_bounds}) AND {is_listed} AND {is_found}
)
{matching_page};

-- name: search_low_products(text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset, least_retired, most_retired)
-- Those at or below their minimum; reads the whole index of low levels.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting}
    FROM ({low}) AS low
    CROSS JOIN products
    WHERE products.id = low.product_id AND {in_category} AND {is_listed} AND {is_found}
)
{matching_page};

-- name: search_low_in_category(text, folded, after, named, word, other_words, category, least_minimum, most_level, sorted_by, descending, limit, offset, least_retired, most_retired)
-- The same in a small category; reads all of its products.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting_with_level}
    FROM products
    CROSS JOIN levels
    WHERE category = :category AND levels.product_id = products.id AND {is_low} AND {is_listed} AND {is_found}
)
{matching_page};
