-- Searches look at the values of attributes, too: `description_folded` has them after the description, each on a line, in
-- the order of their names. Descriptions are sorted without them.
--
-- The service folds the texts of existing products with attributes again after this script. Triggers maintain their
-- trigrams.

DROP INDEX products_by_description;

CREATE INDEX products_by_description
ON products (substr(substr(description_folded, 1, instr(description_folded || char(10), char(10)) - 1), 1, 100));
