-- Parts that several statements share: `{name}` in a statement is replaced with the text below the part's header.

-- part: product_columns
products.id, product_code, description, category, unit_of_measure, created_at, updated_at, retired, attributes

-- part: level_columns
levels.id, levels.product_id, products.product_code, products.description, levels.current_level,
levels.minimum_level, levels.maximum_level, levels.last_updated, levels.updated_by
