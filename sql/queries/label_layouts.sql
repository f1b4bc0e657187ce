-- Layouts of labels that are saved under a name.

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
