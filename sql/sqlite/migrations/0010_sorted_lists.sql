-- Indexes for sorted lists of products. SQLite adds the id to each entry, which sorts equal values; codes are sorted by the
-- index of folded codes.

CREATE INDEX products_by_description ON products (substr(description_folded, 1, 100));
CREATE INDEX products_by_change ON products (updated_at);
CREATE INDEX levels_by_level ON levels (current_level, product_id);
