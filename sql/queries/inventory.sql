-- Levels. Whole lists are read in the order of an index, so nothing is sorted.

-- part: of_products
FROM levels
JOIN products ON products.id = levels.product_id

-- part: is_low
-- At or below the minimum, within bounds; the index `levels_low` finds these levels.
levels.current_level <= levels.minimum_level
  AND levels.minimum_level >= :least_minimum AND levels.current_level <= :most_level

-- part: in_stock_bounds
-- NULL bounds select all levels.
CAST(:least_minimum AS BIGINT) IS NULL OR ({is_low})

-- name: list_levels(limit, least_retired, most_retired)
SELECT {level_columns} {of_products}
WHERE {is_listed}
ORDER BY levels.product_id
LIMIT :limit;

-- name: list_low_levels(least_minimum, most_level, limit, least_retired, most_retired)
SELECT {level_columns} {of_products}
WHERE {is_low} AND {is_listed}
ORDER BY levels.product_id
LIMIT :limit;

-- part: order_quantity
-- What is missing up to the maximum, or else up to the minimum.
(CASE WHEN levels.maximum_level > 0 THEN levels.maximum_level ELSE levels.minimum_level END - levels.current_level)

-- name: list_reorders(group_by, limit)
-- Grouped by the values of an attribute, the products without it last. A level at or below its minimum is low, or out of
-- stock.
WITH missing AS (
    SELECT levels.product_id, products.product_code, products.description, products.unit_of_measure,
           levels.current_level, levels.minimum_level, levels.maximum_level, {order_quantity} AS order_quantity,
           COALESCE({attribute_value}, '') AS in_group
    {of_products}
    WHERE levels.current_level <= levels.minimum_level AND {order_quantity} > 0 AND products.retired = 0
)
SELECT product_id, product_code, description, unit_of_measure, current_level, minimum_level, maximum_level,
       order_quantity, in_group
FROM missing
ORDER BY CASE in_group WHEN '' THEN 1 ELSE 0 END, in_group, product_id
LIMIT :limit;

-- name: get_level(product_id)^
SELECT {level_columns} {of_products}
WHERE levels.product_id = :product_id;

-- name: levels_of_products(wanted)
-- The inventory records of these products, in their order. :wanted is a JSON array of ids.
SELECT {level_columns}
FROM {wanted}
CROSS JOIN levels
CROSS JOIN products
WHERE levels.product_id = CAST(wanted.value AS BIGINT) AND products.id = levels.product_id
ORDER BY wanted.key;

-- name: insert_level(product_id, level, minimum_level, maximum_level, updated_by, now)!
INSERT INTO levels (product_id, current_level, minimum_level, maximum_level, last_updated, updated_by)
VALUES (:product_id, :level, :minimum_level, :maximum_level, :now, :updated_by);

-- name: set_level_bounds(product_id, minimum_level, maximum_level)!
-- NULL keeps a column as it is.
UPDATE levels
SET minimum_level = COALESCE(:minimum_level, minimum_level),
    maximum_level = COALESCE(:maximum_level, maximum_level)
WHERE product_id = :product_id;

-- name: export_products(least_minimum, most_level, least_retired, most_retired)
-- The catalogue in the format of an import.
SELECT products.product_code, products.description, products.category, products.unit_of_measure,
       levels.current_level, levels.minimum_level, levels.maximum_level, {further_codes} AS other_codes, products.attributes
FROM products
JOIN levels ON levels.product_id = products.id
WHERE {is_listed} AND ({in_stock_bounds})
ORDER BY products.id;

-- name: export_levels(least_minimum, most_level, least_retired, most_retired)
SELECT {level_columns}, products.category, products.unit_of_measure {of_products}
WHERE {is_listed} AND ({in_stock_bounds})
ORDER BY levels.product_id;

-- name: export_movements(least_minimum, most_level, least_retired, most_retired)
SELECT movements.product_id, movements.id, products.product_code, movements.old_level,
       movements.new_level, movements.change_reason, movements.updated_by, movements.updated_at
FROM products
JOIN levels ON levels.product_id = products.id
JOIN movements ON movements.product_id = products.id
WHERE {is_listed} AND ({in_stock_bounds})
ORDER BY products.id, movements.id;

-- name: export_levels_with_movements(least_minimum, most_level, least_retired, most_retired)
-- Each level once per movement, or once with empty columns if it has none.
SELECT {level_columns}, products.category, products.unit_of_measure,
       movements.id, movements.old_level, movements.new_level, movements.change_reason,
       movements.updated_by, movements.updated_at
{of_products}
LEFT JOIN movements ON movements.product_id = levels.product_id
WHERE {is_listed} AND ({in_stock_bounds})
ORDER BY levels.product_id, movements.id;
