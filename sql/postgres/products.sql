-- Statements on the catalogue that need PostgreSQL's index of trigrams (pg_trgm) or its functions for JSON.

-- name: search_products(text, folded, after, pattern, category, sorted_by, descending, limit, offset)
-- The index extracts the trigrams of the pattern.
WITH matching (id, text, number) AS MATERIALIZED (
    SELECT id, {sorting}
    FROM products
    WHERE (CAST(:category AS TEXT) IS NULL OR category = :category) AND {like_pattern}
)
{matching_page};

-- name: put_number_keys(keys)!
-- The keys of products by their ids, in a JSON object.
UPDATE products
SET number_key = given.value
FROM json_each_text(CAST(:keys AS JSON)) AS given (key, value)
WHERE products.id = CAST(given.key AS BIGINT);
