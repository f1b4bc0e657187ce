-- The number of products in each category, instead of counts of blocks of ids; and a table for the write test of /health.
--
-- Counting a million products would take longer than the rest of a page. Triggers maintain the counts in the transaction of
-- any change; those of the text index are created again, without blocks.

DROP TRIGGER index_more_products;
DROP TRIGGER index_inserted_product;
DROP TRIGGER index_changed_category;
DROP TRIGGER index_deleted_product;

DROP TABLE category_blocks;
DROP TABLE product_blocks;
DROP TABLE block_sizes;

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

CREATE TRIGGER index_deleted_product AFTER DELETE ON products
WHEN OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (product_texts, rowid, texts)
    VALUES ('delete', OLD.id, OLD.code_folded || char(10) || OLD.description_folded);
END;

CREATE TABLE product_counts (
    category TEXT   NOT NULL PRIMARY KEY,
    products BIGINT NOT NULL -- never 0: a category without products has no row
);

INSERT INTO product_counts (category, products)
SELECT category, COUNT(*) FROM products GROUP BY category;

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

-- One row, which /health overwrites after a fault to check whether the disk accepts changes again.
CREATE TABLE write_tests (
    id   INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    text TEXT    NOT NULL
);

-- The write test used this key before.
DELETE FROM idempotency_keys WHERE idempotency_key = '';
