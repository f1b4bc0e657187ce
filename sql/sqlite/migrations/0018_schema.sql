-- What SQLite adds to the tables of sql/migrations.

-- Codabar numbers that are stored with start and stop letters, by the number: a scanner may omit the letters.
CREATE INDEX products_by_codabar ON products (substr(product_code, 2, length(product_code) - 2))
WHERE substr(product_code, 1, 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd')
  AND substr(product_code, length(product_code), 1) IN ('A', 'B', 'C', 'D', 'a', 'b', 'c', 'd');

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

-- One row, which /health overwrites after a fault to check whether the disk accepts changes again.
CREATE TABLE write_tests (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    text TEXT    NOT NULL
);
