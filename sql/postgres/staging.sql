-- The rows that lie ready for an import, in a table of its transaction alone.

-- name: create_staged_rows()!
CREATE TEMPORARY TABLE staged_rows (
    position           BIGINT PRIMARY KEY, -- from 1, without gaps
    number             BIGINT NOT NULL,    -- beside the row in the spreadsheet
    product_code       TEXT COLLATE "C" NOT NULL,
    description        TEXT COLLATE "C" NOT NULL,
    category           TEXT COLLATE "C",
    unit_of_measure    TEXT COLLATE "C",
    code_folded        TEXT COLLATE "C" NOT NULL,
    description_folded TEXT COLLATE "C" NOT NULL,
    gtin               TEXT COLLATE "C",
    short_gtin         TEXT COLLATE "C",
    initial_level      BIGINT NOT NULL,
    minimum_level      BIGINT,
    maximum_level      BIGINT
) ON COMMIT DROP;

-- name: count_products()!
-- Behind the first rows of an import: a plan that takes a table for as empty as it was would read all of it, again and
-- again. Nothing is done while another import counts, or where only the owner of the tables may.
ANALYZE (SKIP_LOCKED) products, levels;

-- name: count_staged_rows()!
-- What the planner then knows of them: nobody else looks after a temporary table.
ANALYZE staged_rows;
