-- A product code as its symbol encodes it: without the hyphens and spaces of an ISBN, ISSN or PZN, and without the spaces of
-- an element string in brackets, because no scan returns them. NULL for other codes, and for bare digits.

ALTER TABLE products ADD COLUMN printed TEXT COLLATE "C" GENERATED ALWAYS AS (
    CASE
        WHEN substr(product_code, 1, 1) = '(' THEN replace(product_code, ' ', '')
        WHEN btrim(product_code, '0123456789') = '' THEN NULL
        WHEN btrim(upper(replace(replace(product_code, '-', ''), ' ', '')), '0123456789X+') IN ('', 'PZN')
        THEN upper(replace(replace(product_code, '-', ''), ' ', ''))
    END
) STORED;

CREATE INDEX products_by_printed ON products (printed) WHERE printed IS NOT NULL;
