-- Codabar numbers that are stored with start and stop letters, by the number: a scanner may omit the letters.

CREATE INDEX products_by_codabar ON products (substr(product_code, 2, length(product_code) - 2))
WHERE substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
  AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd');
