-- Pages of all products in an order that has an index. Equal values are in the order of their ids; a descending order is the
-- whole order reversed.

-- part: chosen_page
-- The products in `chosen (id, sorted_by)`, with the number of all products.
SELECT counted.total, page.id, page.product_code, page.description, page.category, page.unit_of_measure, page.created_at,
       page.updated_at, page.attributes
FROM (SELECT CAST(COALESCE(SUM(products), 0) AS BIGINT) AS total FROM product_counts) AS counted
LEFT JOIN (
    SELECT sorted_by, {product_columns}
    FROM chosen
    CROSS JOIN products
    WHERE products.id = chosen.id
) AS page ON 1 = 1

-- name: list_products_descending(limit, offset)
WITH chosen (id, sorted_by) AS (SELECT id, 0 FROM products ORDER BY id DESC LIMIT :limit OFFSET :offset)
{chosen_page}
ORDER BY page.id DESC;

-- name: list_products_by_code(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, code_folded FROM products ORDER BY code_folded, id LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by, page.id;

-- name: list_products_by_code_descending(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, code_folded FROM products ORDER BY code_folded DESC, id DESC LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by DESC, page.id DESC;

-- name: list_products_by_description(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, {description_start} FROM products ORDER BY {description_start}, id LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by, page.id;

-- name: list_products_by_description_descending(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, {description_start} FROM products ORDER BY {description_start} DESC, id DESC LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by DESC, page.id DESC;

-- name: list_products_by_change(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, updated_at FROM products ORDER BY updated_at, id LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by, page.id;

-- name: list_products_by_change_descending(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT id, updated_at FROM products ORDER BY updated_at DESC, id DESC LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by DESC, page.id DESC;

-- name: list_products_by_level(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT product_id, current_level FROM levels ORDER BY current_level, product_id LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by, page.id;

-- name: list_products_by_level_descending(limit, offset)
WITH chosen (id, sorted_by) AS (
    SELECT product_id, current_level FROM levels ORDER BY current_level DESC, product_id DESC LIMIT :limit OFFSET :offset
)
{chosen_page}
ORDER BY page.sorted_by DESC, page.id DESC;
