-- Attributes: further texts of a product, by their names, as a JSON object.
--
-- The number of products with each name is kept, because a catalogue may have so many different names and no more. Triggers
-- maintain it in the transaction of any change.

ALTER TABLE products ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';

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
