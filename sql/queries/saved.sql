-- What labels are made of, saved under names: layouts, and black and white images.

-- name: list_label_layouts()
SELECT name, layout, updated_at FROM label_layouts ORDER BY name;

-- name: get_label_layout(name)^
SELECT name, layout, updated_at FROM label_layouts WHERE name = :name;

-- name: save_label_layout(name, layout, now, most)!
-- Nothing is written if there are `most` others already.
INSERT INTO label_layouts (name, layout, updated_at)
SELECT :name, :layout, :now
WHERE (SELECT COUNT(*) FROM label_layouts WHERE name <> :name) < :most
ON CONFLICT (name) DO UPDATE
SET layout = excluded.layout, updated_at = excluded.updated_at;

-- name: delete_label_layout(name)!
DELETE FROM label_layouts WHERE name = :name;

-- name: list_label_images()
SELECT name, width, height, updated_at FROM label_images ORDER BY name;

-- name: get_label_image(name)^
SELECT width, height, pixels FROM label_images WHERE name = :name;

-- name: save_label_image(name, width, height, pixels, now, most)!
INSERT INTO label_images (name, width, height, pixels, updated_at)
SELECT :name, CAST(:width AS INTEGER), CAST(:height AS INTEGER), :pixels, :now
WHERE (SELECT COUNT(*) FROM label_images WHERE name <> :name) < :most
ON CONFLICT (name) DO UPDATE
SET width = excluded.width,
    height = excluded.height,
    pixels = excluded.pixels,
    updated_at = excluded.updated_at;

-- name: delete_label_image(name)!
DELETE FROM label_images WHERE name = :name;
