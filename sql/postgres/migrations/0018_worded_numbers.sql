-- More spellings of numbers have a key: with a word before them, after a symbology identifier, as HIBC codes, and others.
--
-- The schema stays the same. The service derives the keys of all products again after this script, in some 10 s for
-- 100,000 products.

COMMENT ON COLUMN products.number_key IS 'the number that the code is, in the spelling of canonical_numbers.py';
