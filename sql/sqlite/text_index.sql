-- The index of texts, which is filled in the background (barcodesvc/store/sqlite/text_index.py).

-- name: index_more_products(limit)^
-- Adds at most :limit products to the index; returns no row if all products are there.
UPDATE indexed_products
SET upto = (SELECT MAX(id) FROM (SELECT id FROM products WHERE id > upto ORDER BY id LIMIT :limit) AS next)
WHERE EXISTS (SELECT 1 FROM products WHERE id > upto)
RETURNING upto;
