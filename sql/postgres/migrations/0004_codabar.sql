-- Codabar numbers that are stored with their start and stop letters, by the number: a scanner may leave the letters out.
-- A single letter has no number between; PostgreSQL refuses lengths below 0.

CREATE INDEX products_by_codabar ON products (substr(product_code, 2, GREATEST(length(product_code) - 2, 0)))
WHERE substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
  AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd');
