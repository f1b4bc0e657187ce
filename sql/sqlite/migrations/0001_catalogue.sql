-- The catalogue, its inventory levels and their history.
--
-- AUTOINCREMENT never assigns the id of a deleted product to another one.
-- Timestamps are texts, which sort by time: UTC, ISO 8601, milliseconds, Z.

CREATE TABLE products (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    product_code       TEXT NOT NULL UNIQUE,
    description        TEXT NOT NULL,
    category           TEXT NOT NULL,
    unit_of_measure    TEXT NOT NULL,
    created_at         TEXT NOT NULL,
    updated_at         TEXT NOT NULL,
    -- the keys that searches and scans compare; the service derives them from the columns above
    code_folded        TEXT NOT NULL,
    description_folded TEXT NOT NULL,
    gtin               TEXT,
    short_gtin         TEXT
);

CREATE INDEX products_by_category ON products (category, id);
CREATE INDEX products_by_code_folded ON products (code_folded);
CREATE INDEX products_by_gtin ON products (gtin) WHERE gtin IS NOT NULL;
CREATE INDEX products_by_short_gtin ON products (short_gtin) WHERE short_gtin IS NOT NULL;

CREATE TABLE levels (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id    BIGINT NOT NULL UNIQUE REFERENCES products (id) ON DELETE CASCADE,
    current_level BIGINT NOT NULL CHECK (current_level >= 0),
    minimum_level BIGINT NOT NULL CHECK (minimum_level >= 0),
    maximum_level BIGINT NOT NULL CHECK (maximum_level = 0 OR maximum_level >= minimum_level),
    last_updated  TEXT NOT NULL,
    updated_by    TEXT NOT NULL
);

CREATE INDEX levels_low ON levels (product_id) WHERE current_level <= minimum_level;

CREATE TABLE level_changes (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id    BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    old_level     BIGINT NOT NULL,
    new_level     BIGINT NOT NULL,
    change_reason TEXT NOT NULL,
    updated_by    TEXT NOT NULL,
    updated_at    TEXT NOT NULL
);

CREATE INDEX level_changes_by_product ON level_changes (product_id, id);
