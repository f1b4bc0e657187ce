-- The codes of products, by which scans find them: the own code of each, and further ones, such as that of a pack.
-- `pack_quantity` is how many pieces a scan of the code counts. The service derives what scans compare
-- (barcodesvc/numbers/code_keys.py), and fills the table for the products that are there.

CREATE TABLE product_codes (
    id            {row_id},
    product_id    BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    code          {text} NOT NULL UNIQUE,
    is_own        BIGINT NOT NULL,
    pack_quantity BIGINT NOT NULL CHECK (pack_quantity > 0),
    note          {text} NOT NULL,
    created_at    {text} NOT NULL,
    folded_key    {text} NOT NULL,
    number_key    {text},
    main_key      {text},
    codabar_key   {text}
);

CREATE INDEX product_codes_by_product ON product_codes (product_id, id);
CREATE INDEX product_codes_by_folded ON product_codes (folded_key);
CREATE INDEX product_codes_by_number ON product_codes (number_key) WHERE number_key IS NOT NULL;
CREATE INDEX product_codes_by_main ON product_codes (main_key) WHERE main_key IS NOT NULL;
CREATE INDEX product_codes_by_codabar ON product_codes (codabar_key) WHERE codabar_key IS NOT NULL;

DROP INDEX products_by_number_key;
DROP INDEX products_by_codabar;
ALTER TABLE products DROP COLUMN number_key;

-- The last number of each pattern of codes that the service makes: none is given twice, whatever becomes of its product.
CREATE TABLE made_codes (
    pattern     {text} NOT NULL PRIMARY KEY,
    last_number BIGINT NOT NULL
);

-- The scans that named no product, to work off. `text` is JSON, because a scan may have characters that no text may have.
CREATE TABLE unknown_scans (
    id         {row_id},
    text       {text} NOT NULL UNIQUE,
    scans      BIGINT NOT NULL,
    first_seen {text} NOT NULL,
    last_seen  {text} NOT NULL
);

CREATE INDEX unknown_scans_by_time ON unknown_scans (last_seen {then_id});

-- A product that is no longer sold stays, with its codes and its history, and is in no list unless it is asked for.

ALTER TABLE products ADD COLUMN retired BIGINT NOT NULL DEFAULT 0;

DROP INDEX products_by_category;
DROP INDEX products_by_code_folded;
DROP INDEX products_by_description;
DROP INDEX products_by_change;

CREATE INDEX products_by_category ON products (category, id, retired);
CREATE INDEX products_by_code_folded ON products (code_folded {then_id}) WHERE retired = 0;
CREATE INDEX products_by_description ON products (
    substr(substr(description_folded, 1, {place_of}(description_folded || {line_feed}, {line_feed}) - 1), 1, 100) {then_id}
) WHERE retired = 0;
CREATE INDEX products_by_change ON products (updated_at {then_id}) WHERE retired = 0;
CREATE INDEX products_retired ON products (retired, category {then_id}) WHERE retired = 1;
