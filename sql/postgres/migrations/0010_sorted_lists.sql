-- Indexes for sorted lists of products, which sort equal values by id. The index of folded codes gets the id as well.

DROP INDEX products_by_code_folded;

CREATE INDEX products_by_code_folded ON products (code_folded, id);
CREATE INDEX products_by_description ON products (substr(description_folded, 1, 100), id);
CREATE INDEX products_by_change ON products (updated_at, id);
CREATE INDEX levels_by_level ON levels (current_level, product_id);
