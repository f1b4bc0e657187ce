-- The schema. Migrations with higher numbers change it.
--
-- AUTOINCREMENT never assigns the id of a deleted row to another one.
-- Timestamps are texts, which sort by time: UTC, ISO 8601, milliseconds, Z.

-- The catalogue

CREATE TABLE products (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    product_code       TEXT NOT NULL UNIQUE,
    description        TEXT NOT NULL,
    category           TEXT NOT NULL,
    unit_of_measure    TEXT NOT NULL,
    created_at         TEXT NOT NULL,
    updated_at         TEXT NOT NULL,
    -- what searches and scans compare, without regard to case and accents; the service derives it. The values of
    -- attributes follow the description, each on a line, in the order of their names
    code_folded        TEXT NOT NULL,
    description_folded TEXT NOT NULL,
    -- the number that the code spells, or NULL (barcodesvc/symbols/canonical_numbers.py)
    number_key         TEXT,
    -- further texts by their names, as a JSON object
    attributes         TEXT NOT NULL DEFAULT '{}'
);

CREATE INDEX products_by_category ON products (category, id);
CREATE INDEX products_by_code_folded ON products (code_folded);
CREATE INDEX products_by_number_key ON products (number_key) WHERE number_key IS NOT NULL;
-- Codabar numbers that are stored with start and stop letters, by the number: a scanner may omit the letters.
CREATE INDEX products_by_codabar ON products (substr(product_code, 2, length(product_code) - 2))
WHERE substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
  AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd');
-- Sorted lists. SQLite adds the id to each entry, which sorts equal values; descriptions are sorted without attributes.
CREATE INDEX products_by_description
ON products (substr(substr(description_folded, 1, instr(description_folded || char(10), char(10)) - 1), 1, 100));
CREATE INDEX products_by_change ON products (updated_at);

-- An index of the trigrams of the catalogue's texts (FTS5), which keeps searches of large catalogues fast.
--
-- It covers the products up to the id in indexed_products, and triggers maintain it in the transaction of any change.
-- Raising that id adds more products, many at once; those above it are compared one by one. So an import does not wait
-- for the index, and its products are found at once.
--
-- The index holds the trigrams of a product's two folded texts, without positions and without the texts. It may find too
-- much, never too little, so a search compares the texts themselves.
--
-- Its triggers come before all others: a statement that compiles another one first fails once after another program has
-- changed the schema.

CREATE TABLE indexed_products (
    upto BIGINT NOT NULL
);

INSERT INTO indexed_products (upto) VALUES (0);

-- The line feed between them occurs in no code and no description.
CREATE VIEW indexed_texts AS
SELECT id, code_folded || char(10) || description_folded AS texts
FROM products
WHERE id <= (SELECT upto FROM indexed_products);

CREATE VIRTUAL TABLE product_texts USING fts5 (
    texts, content = 'indexed_texts', content_rowid = 'id', columnsize = 0, detail = none,
    tokenize = 'trigram case_sensitive 1'
);

CREATE TRIGGER index_more_products AFTER UPDATE OF upto ON indexed_products
BEGIN
    INSERT INTO product_texts (rowid, texts)
    SELECT id, texts FROM indexed_texts WHERE id > OLD.upto ORDER BY id;
END;

CREATE TRIGGER index_inserted_product AFTER INSERT ON products
WHEN NEW.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (rowid, texts) VALUES (NEW.id, NEW.code_folded || char(10) || NEW.description_folded);
END;

CREATE TRIGGER index_changed_texts AFTER UPDATE OF code_folded, description_folded ON products
WHEN (OLD.code_folded <> NEW.code_folded OR OLD.description_folded <> NEW.description_folded)
     AND OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (product_texts, rowid, texts)
    VALUES ('delete', OLD.id, OLD.code_folded || char(10) || OLD.description_folded);
    INSERT INTO product_texts (rowid, texts) VALUES (NEW.id, NEW.code_folded || char(10) || NEW.description_folded);
END;

CREATE TRIGGER index_deleted_product AFTER DELETE ON products
WHEN OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (product_texts, rowid, texts)
    VALUES ('delete', OLD.id, OLD.code_folded || char(10) || OLD.description_folded);
END;

-- The number of products in each category: counting a million products would take longer than the rest of a page.
-- Triggers maintain it in the transaction of any change.

CREATE TABLE product_counts (
    category TEXT   NOT NULL PRIMARY KEY,
    products BIGINT NOT NULL -- never 0: a category without products has no row
);

CREATE TRIGGER count_inserted_product AFTER INSERT ON products
BEGIN
    INSERT INTO product_counts (category, products) VALUES (NEW.category, 1)
    ON CONFLICT (category) DO UPDATE SET products = products + 1;
END;

CREATE TRIGGER count_moved_product AFTER UPDATE OF category ON products
WHEN OLD.category <> NEW.category
BEGIN
    INSERT INTO product_counts (category, products) VALUES (NEW.category, 1)
    ON CONFLICT (category) DO UPDATE SET products = products + 1;
    UPDATE product_counts SET products = products - 1 WHERE category = OLD.category;
    DELETE FROM product_counts WHERE category = OLD.category AND products = 0;
END;

CREATE TRIGGER count_deleted_product AFTER DELETE ON products
BEGIN
    UPDATE product_counts SET products = products - 1 WHERE category = OLD.category;
    DELETE FROM product_counts WHERE category = OLD.category AND products = 0;
END;

-- The number of products with each attribute, because a catalogue has a limited number of names. It is maintained likewise.

CREATE TABLE attribute_counts (
    name     TEXT   NOT NULL PRIMARY KEY,
    products BIGINT NOT NULL -- never 0: a name that no product has any more has no row
);

CREATE TRIGGER count_inserted_attributes AFTER INSERT ON products
WHEN NEW.attributes <> '{}'
BEGIN
    INSERT INTO attribute_counts (name, products) SELECT key, 1 FROM json_each(NEW.attributes) WHERE TRUE
    ON CONFLICT (name) DO UPDATE SET products = products + 1;
END;

CREATE TRIGGER count_changed_attributes AFTER UPDATE OF attributes ON products
WHEN OLD.attributes <> NEW.attributes
BEGIN
    INSERT INTO attribute_counts (name, products)
    SELECT key, 1 FROM json_each(NEW.attributes) WHERE key NOT IN (SELECT key FROM json_each(OLD.attributes))
    ON CONFLICT (name) DO UPDATE SET products = products + 1;
    UPDATE attribute_counts
    SET products = products - 1
    WHERE name IN (
        SELECT key FROM json_each(OLD.attributes) WHERE key NOT IN (SELECT key FROM json_each(NEW.attributes))
    );
    DELETE FROM attribute_counts WHERE products = 0;
END;

CREATE TRIGGER count_deleted_attributes AFTER DELETE ON products
WHEN OLD.attributes <> '{}'
BEGIN
    UPDATE attribute_counts SET products = products - 1 WHERE name IN (SELECT key FROM json_each(OLD.attributes));
    DELETE FROM attribute_counts WHERE products = 0;
END;

-- Levels and their history

CREATE TABLE levels (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id    BIGINT NOT NULL UNIQUE REFERENCES products (id) ON DELETE CASCADE,
    current_level BIGINT NOT NULL CHECK (current_level >= 0),
    minimum_level BIGINT NOT NULL CHECK (minimum_level >= 0),
    maximum_level BIGINT NOT NULL CHECK (maximum_level = 0 OR maximum_level >= minimum_level),
    last_updated  TEXT NOT NULL,
    updated_by    TEXT NOT NULL,
    -- when the latest change was scanned, or else written. NULL if nothing has changed since this column was added:
    -- then it is the time of the newest change
    changed_at    TEXT
);

-- With all columns that count a page of low levels, so that SQLite does not read their rows.
CREATE INDEX levels_low ON levels (product_id, current_level, minimum_level) WHERE current_level <= minimum_level;
CREATE INDEX levels_by_level ON levels (current_level, product_id);

CREATE TABLE level_changes (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    product_id    BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    old_level     BIGINT NOT NULL,
    new_level     BIGINT NOT NULL,
    change_reason TEXT NOT NULL,
    updated_by    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    scanned_at    TEXT,
    -- not a foreign key: both changes belong to one product and are deleted with it, and checking a foreign key would
    -- need an index of all changes
    undoes        BIGINT
);

CREATE INDEX level_changes_by_product ON level_changes (product_id, id);
CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at);
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at);

-- The idempotency keys, under which a repeated count is one count. Without a reference to products: a key outlives its
-- product, because the product that a scan finds next time may be another one.

CREATE TABLE idempotency_keys (
    idempotency_key TEXT NOT NULL PRIMARY KEY,
    used_for        TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    answer          TEXT NOT NULL,
    used_at         TEXT NOT NULL
);

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (used_at);

-- The number of keys: counting millions of them would take a second.
CREATE TABLE idempotency_key_count (
    kept BIGINT NOT NULL
);

INSERT INTO idempotency_key_count (kept) VALUES (0);

CREATE TRIGGER count_kept_key AFTER INSERT ON idempotency_keys
BEGIN
    UPDATE idempotency_key_count SET kept = kept + 1;
END;

CREATE TRIGGER count_forgotten_key AFTER DELETE ON idempotency_keys
BEGIN
    UPDATE idempotency_key_count SET kept = kept - 1;
END;

-- The sessions of the web app: the key that signs their cookies, created at the first start, and the sessions that were
-- logged out, each for as long as a copy of its cookie could be used.

CREATE TABLE session_key (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    session_key TEXT    NOT NULL
);

CREATE TABLE ended_sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    expires_at TEXT NOT NULL
);

CREATE INDEX ended_sessions_by_expiry ON ended_sessions (expires_at);

-- Layouts of labels and images for them, saved under a name. `layout` is JSON; `pixels` is base64 of the compressed rows,
-- 1 for dark.

CREATE TABLE label_layouts (
    name       TEXT NOT NULL PRIMARY KEY,
    layout     TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE label_images (
    name       TEXT    NOT NULL PRIMARY KEY,
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    pixels     TEXT    NOT NULL,
    updated_at TEXT    NOT NULL
);

-- The jobs of printers. Labels 1 to labels_sure are printed, the next labels_unsure may be. `request` is what is printed,
-- as JSON; the first label of the job is label from_label of it. `bytes` is its length, so that the sum reads no requests.
-- `products` are its first product codes, as JSON; a `start_position` of 0 is the one of the request.

CREATE TABLE print_jobs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    printer        TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    labels         BIGINT  NOT NULL CHECK (labels > 0),
    labels_sure    BIGINT  NOT NULL CHECK (labels_sure >= 0),
    labels_unsure  BIGINT  NOT NULL CHECK (labels_unsure >= 0 AND labels_sure + labels_unsure <= labels),
    message        TEXT    NOT NULL,
    created_at     TEXT    NOT NULL,
    updated_at     TEXT    NOT NULL,
    resend_of      BIGINT,
    from_label     BIGINT  NOT NULL CHECK (from_label > 0),
    tried_at       TEXT    NOT NULL,
    is_cancelled   BIGINT  NOT NULL,
    bytes          BIGINT  NOT NULL,
    request        TEXT    NOT NULL,
    products       TEXT    NOT NULL DEFAULT '[]',
    start_position BIGINT  NOT NULL DEFAULT 0 CHECK (start_position >= 0)
);

CREATE INDEX print_jobs_by_printer ON print_jobs (printer, id);
CREATE INDEX print_jobs_open ON print_jobs (printer, id) WHERE state IN ('waiting', 'sending');
CREATE INDEX print_jobs_by_age ON print_jobs (updated_at, state, bytes);

-- The process that sends to a printer, until `expires`, in seconds since 1970, and the state that it saw last; `asked` is
-- when another process was asked for that.
CREATE TABLE print_leases (
    printer TEXT             NOT NULL PRIMARY KEY,
    holder  TEXT             NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    asked   DOUBLE PRECISION NOT NULL,
    state   TEXT             NOT NULL,
    since   TEXT             NOT NULL
);

-- One row, which /health overwrites after a fault to check whether the disk accepts changes again.
CREATE TABLE write_tests (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    text TEXT    NOT NULL
);
