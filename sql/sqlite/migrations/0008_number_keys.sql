-- One key for the number that a product code spells, in place of three (barcodesvc/symbols/canonical_numbers.py derives it).
--
-- The stored GTINs are such numbers already. Migration 18 fills in the keys of other products.

DROP INDEX products_by_printed;
DROP INDEX products_by_short_gtin;
DROP INDEX products_by_gtin;

ALTER TABLE products DROP COLUMN printed;
ALTER TABLE products DROP COLUMN short_gtin;
ALTER TABLE products RENAME COLUMN gtin TO number_key;

CREATE INDEX products_by_number_key ON products (number_key) WHERE number_key IS NOT NULL;
