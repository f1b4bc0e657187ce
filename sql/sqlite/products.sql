-- Statements on the catalogue that need SQLite's index of texts (FTS5) or its functions for JSON.

-- name: search_products(text, folded, after, pattern, category, sorted_by, descending, limit, offset)
-- Searches the index for three trigrams of :folded, each quoted for FTS5. Of at most 16, spread over :folded, they are the
-- ones that seem rarest, because their 256th product has the highest id; common trigrams exclude few products and cost
-- most. Then the texts of these products are compared, and of those that are not indexed yet.
WITH RECURSIVE starts (start, step) AS (
    SELECT 1, 1 + (length(:folded) - 3) / 16
    UNION ALL
    SELECT start + step, step FROM starts WHERE start + step <= length(:folded) - 2
),
trigrams (trigram) AS (
    SELECT DISTINCT '"' || replace(substr(:folded, start, 3), '"', '""') || '"' FROM starts
),
rarest (trigram) AS (
    SELECT trigram
    FROM trigrams
    ORDER BY (
        SELECT product_texts.rowid FROM product_texts WHERE product_texts MATCH trigrams.trigram LIMIT 1 OFFSET 255
    ) DESC NULLS FIRST
    LIMIT 3
),
matching (id, text, number) AS MATERIALIZED (
    SELECT products.id, {sorting}
    FROM product_texts
    CROSS JOIN products ON products.id = product_texts.rowid
    WHERE product_texts MATCH (SELECT GROUP_CONCAT(trigram, ' AND ') FROM rarest)
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND {like_pattern}
    UNION ALL
    SELECT id, {sorting}
    FROM products
    WHERE id > (SELECT upto FROM indexed_products)
      AND (CAST(:category AS TEXT) IS NULL OR category = :category)
      AND {like_pattern}
)
{matching_page};

-- name: put_number_keys(keys)!
-- The keys of products by their ids, in a JSON object.
UPDATE products
SET number_key = given.value
FROM json_each(:keys) AS given
WHERE products.id = CAST(given.key AS INTEGER);
