-- The search that needs SQLite's index of texts (FTS5).

-- name: search_products(text, folded, after, named, word, other_words, category, sorted_by, descending, limit, offset, least_retired, most_retired)
-- Searches the index for three trigrams of the words, each quoted for FTS5. Of some 16, spread over the words, they are the
-- ones that seem rarest, because their 256th product has the highest id; common trigrams exclude few products and cost
-- most. Then the texts of these products are compared, and of those that are not indexed yet. Products that
-- the search names as a number in another spelling are added.
WITH RECURSIVE {other_words},
words (word) AS (
    SELECT :word UNION ALL SELECT word FROM other_words WHERE length(word) >= 3
),
starts (word, start, step) AS (
    SELECT word, 1, 1 + length(:folded) / 16 FROM words
    UNION ALL
    SELECT word, start + step, step FROM starts WHERE start + step <= length(word) - 2
),
trigrams (trigram) AS (
    SELECT DISTINCT '"' || replace(substr(word, start, 3), '"', '""') || '"' FROM starts
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
      AND {in_category} AND {is_listed}
      AND {has_words}
    UNION ALL
    SELECT id, {sorting}
    FROM products
    WHERE id > (SELECT upto FROM indexed_products)
      AND {in_category} AND {is_listed}
      AND {has_words}
    UNION ALL
    SELECT id, {sorting}
    FROM products
    WHERE id IN {named}
      AND {in_category} AND {is_listed}
      AND NOT ({has_words})
)
{matching_page};
