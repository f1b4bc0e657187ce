-- Each movement of an import names it. An import has a row even if it moves nothing: its response has the id.

CREATE TABLE imports (
    id         {row_id},
    started_at {text} NOT NULL
);

ALTER TABLE movements ADD COLUMN import_id BIGINT;

CREATE INDEX movements_by_import ON movements (import_id, id) WHERE import_id IS NOT NULL;
