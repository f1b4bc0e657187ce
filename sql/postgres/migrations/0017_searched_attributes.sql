-- Searches look at the values of attributes, too: `description_folded` has them after the description, each on a line, in
-- the order of their names. Descriptions are sorted without them.
--
-- The service folds the texts of existing products with attributes again after this script.

DROP INDEX products_by_description;

CREATE INDEX products_by_description
ON products (substr(substr(description_folded, 1, strpos(description_folded || chr(10), chr(10)) - 1), 1, 100), id);

COMMENT ON COLUMN products.description_folded IS
'without regard to case and accents, see code_folded; followed by the values of attributes, each on a line';
