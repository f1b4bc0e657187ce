-- Black and white images for labels, saved under a name; `pixels` is base64 of the compressed rows, 1 for dark.

CREATE TABLE label_images (
    name       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    width      INTEGER          NOT NULL,
    height     INTEGER          NOT NULL,
    pixels     TEXT COLLATE "C" NOT NULL,
    updated_at TEXT COLLATE "C" NOT NULL
);
