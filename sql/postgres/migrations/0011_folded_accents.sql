-- Searches and orders have no regard to accents, and see compatible characters as one, such as m² and m2.
--
-- The service folds the descriptions of existing products again after this script.

COMMENT ON COLUMN products.description_folded IS 'without regard to case and accents, see code_folded';
