-- Layouts of labels that are saved under a name; `layout` is JSON.

CREATE TABLE label_layouts (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    layout     TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL
);
