-- An index of the trigrams of the catalogue's texts (FTS5), and counts of its products, which keep large catalogues fast.
--
-- Both cover the products up to the id in indexed_products, and triggers maintain them in the transaction of any change.
-- Raising that id adds more products, many at once; those above it are compared and counted one by one. So an import does
-- not wait for the index, and its products are found and counted at once.
--
-- The index holds the trigrams of a product's two folded texts, without positions and without the texts. It may find too
-- much, never too little, so a search compares the texts themselves.

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

-- The number of products in each block of ids, in total and by category; an empty block has no row. They give the totals,
-- and where a page begins: first among the large blocks, then among the small blocks of one of those.

CREATE TABLE block_sizes (
    size BIGINT NOT NULL PRIMARY KEY
);

INSERT INTO block_sizes (size) VALUES (1024), (65536);

CREATE TABLE product_blocks (
    size     BIGINT NOT NULL,
    block    BIGINT NOT NULL,
    products BIGINT NOT NULL,
    PRIMARY KEY (size, block)
);

CREATE TABLE category_blocks (
    category TEXT NOT NULL,
    size     BIGINT NOT NULL,
    block    BIGINT NOT NULL,
    products BIGINT NOT NULL,
    PRIMARY KEY (category, size, block)
);

CREATE TRIGGER index_more_products AFTER UPDATE OF upto ON indexed_products
BEGIN
    INSERT INTO product_texts (rowid, texts)
    SELECT id, texts FROM indexed_texts WHERE id > OLD.upto ORDER BY id;

    INSERT INTO product_blocks (size, block, products)
    SELECT size, id / size, COUNT(*)
    FROM block_sizes
    CROSS JOIN products
    WHERE id > OLD.upto AND id <= NEW.upto
    GROUP BY size, id / size
    ON CONFLICT (size, block) DO UPDATE SET products = products + excluded.products;

    INSERT INTO category_blocks (category, size, block, products)
    SELECT category, size, id / size, COUNT(*)
    FROM block_sizes
    CROSS JOIN products
    WHERE id > OLD.upto AND id <= NEW.upto
    GROUP BY category, size, id / size
    ON CONFLICT (category, size, block) DO UPDATE SET products = products + excluded.products;
END;

CREATE TRIGGER index_inserted_product AFTER INSERT ON products
WHEN NEW.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (rowid, texts) VALUES (NEW.id, NEW.code_folded || char(10) || NEW.description_folded);
    INSERT INTO product_blocks (size, block, products)
    SELECT size, NEW.id / size, 1 FROM block_sizes WHERE size > 0
    ON CONFLICT (size, block) DO UPDATE SET products = products + 1;
    INSERT INTO category_blocks (category, size, block, products)
    SELECT NEW.category, size, NEW.id / size, 1 FROM block_sizes WHERE size > 0
    ON CONFLICT (category, size, block) DO UPDATE SET products = products + 1;
END;

CREATE TRIGGER index_changed_texts AFTER UPDATE OF code_folded, description_folded ON products
WHEN (OLD.code_folded <> NEW.code_folded OR OLD.description_folded <> NEW.description_folded)
     AND OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (product_texts, rowid, texts)
    VALUES ('delete', OLD.id, OLD.code_folded || char(10) || OLD.description_folded);
    INSERT INTO product_texts (rowid, texts) VALUES (NEW.id, NEW.code_folded || char(10) || NEW.description_folded);
END;

CREATE TRIGGER index_changed_category AFTER UPDATE OF category ON products
WHEN OLD.category <> NEW.category AND OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    UPDATE category_blocks
    SET products = products - 1
    WHERE category = OLD.category AND (size, block) IN (SELECT size, OLD.id / size FROM block_sizes);
    DELETE FROM category_blocks
    WHERE category = OLD.category AND (size, block) IN (SELECT size, OLD.id / size FROM block_sizes) AND products = 0;
    INSERT INTO category_blocks (category, size, block, products)
    SELECT NEW.category, size, NEW.id / size, 1 FROM block_sizes WHERE size > 0
    ON CONFLICT (category, size, block) DO UPDATE SET products = products + 1;
END;

CREATE TRIGGER index_deleted_product AFTER DELETE ON products
WHEN OLD.id <= (SELECT upto FROM indexed_products)
BEGIN
    INSERT INTO product_texts (product_texts, rowid, texts)
    VALUES ('delete', OLD.id, OLD.code_folded || char(10) || OLD.description_folded);
    UPDATE product_blocks
    SET products = products - 1
    WHERE (size, block) IN (SELECT size, OLD.id / size FROM block_sizes);
    DELETE FROM product_blocks
    WHERE (size, block) IN (SELECT size, OLD.id / size FROM block_sizes) AND products = 0;
    UPDATE category_blocks
    SET products = products - 1
    WHERE category = OLD.category AND (size, block) IN (SELECT size, OLD.id / size FROM block_sizes);
    DELETE FROM category_blocks
    WHERE category = OLD.category AND (size, block) IN (SELECT size, OLD.id / size FROM block_sizes) AND products = 0;
END;
