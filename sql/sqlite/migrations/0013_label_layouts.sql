-- Layouts of labels that are saved under a name; `layout` is JSON.

CREATE TABLE label_layouts (
    name       TEXT NOT NULL PRIMARY KEY,
    layout     TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
