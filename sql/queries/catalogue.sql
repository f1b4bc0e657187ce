-- The catalogue as the import takes it.

-- name: export_products()
SELECT products.product_code, products.description, products.category, products.unit_of_measure,
       levels.current_level, levels.minimum_level, levels.maximum_level
FROM products
JOIN levels ON levels.product_id = products.id
ORDER BY products.id;
