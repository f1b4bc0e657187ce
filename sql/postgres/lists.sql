-- The search that needs PostgreSQL's index of trigrams (pg_trgm).

-- part: second_word
(CAST(:other_words AS JSON) ->> 0)

-- part: third_word
(CAST(:other_words AS JSON) ->> 1)

-- part: like_word
'%' || replace(replace(replace(CAST(:word AS TEXT), '\', '\\'), '%', '\%'), '_', '\_') || '%'

-- part: like_second_word
'%' || replace(replace(replace({second_word}, '\', '\\'), '%', '\%'), '_', '\_') || '%'

-- part: like_third_word
'%' || replace(replace(replace({third_word}, '\', '\\'), '%', '\%'), '_', '\_') || '%'

-- part: planned_for_these_words
-- Always true. A plan for any words seems so dear that the server makes one for these words, each time: it reads rare ones
-- from the index, and compares frequent ones.
(:limit > 0 OR (SELECT COUNT(*) FROM generate_series(1, 1000000000000)) = 0)

-- name: search_products(text, folded, after, named, word, other_words, category, sorted_by, descending, limit, offset, least_retired, most_retired)
-- The index extracts the trigrams of the three longest words; the other words are compared. Products that the search names
-- as a number in another spelling are added.
WITH {other_words},
matching (id, text, number) AS MATERIALIZED (
    SELECT id, {sorting}
    FROM products
    WHERE {planned_for_these_words}
      AND {in_category} AND {is_listed}
      AND (code_folded LIKE {like_word} OR description_folded LIKE {like_word})
      AND ({second_word} IS NULL OR code_folded LIKE {like_second_word} OR description_folded LIKE {like_second_word})
      AND ({third_word} IS NULL OR code_folded LIKE {like_third_word} OR description_folded LIKE {like_third_word})
      AND {has_other_words}
    UNION ALL
    SELECT id, {sorting}
    FROM products
    WHERE id IN {named}
      AND {in_category} AND {is_listed}
      AND NOT ({has_words})
)
{matching_page};
