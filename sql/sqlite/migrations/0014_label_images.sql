-- Black and white images for labels, saved under a name; `pixels` is base64 of the compressed rows, 1 for dark.

CREATE TABLE label_images (
    name       TEXT    NOT NULL PRIMARY KEY,
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    pixels     TEXT    NOT NULL,
    updated_at TEXT    NOT NULL
);
