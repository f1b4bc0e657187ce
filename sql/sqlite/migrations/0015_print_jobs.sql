-- The jobs of printers, and which process sends to a printer.

-- Labels 1 to labels_sure are printed, the next labels_unsure may be. `request` is what is printed, as JSON; the first
-- label of the job is label from_label of it. `bytes` is its length, so that the sum reads no requests.
CREATE TABLE print_jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    printer       TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    labels        BIGINT  NOT NULL CHECK (labels > 0),
    labels_sure   BIGINT  NOT NULL CHECK (labels_sure >= 0),
    labels_unsure BIGINT  NOT NULL CHECK (labels_unsure >= 0 AND labels_sure + labels_unsure <= labels),
    message       TEXT    NOT NULL,
    created_at    TEXT    NOT NULL,
    updated_at    TEXT    NOT NULL,
    resend_of     BIGINT,
    from_label    BIGINT  NOT NULL CHECK (from_label > 0),
    tried_at      TEXT    NOT NULL,
    is_cancelled  BIGINT  NOT NULL,
    bytes         BIGINT  NOT NULL,
    request       TEXT    NOT NULL
);

CREATE INDEX print_jobs_by_printer ON print_jobs (printer, id);
CREATE INDEX print_jobs_open ON print_jobs (printer, id) WHERE state IN ('waiting', 'sending');
CREATE INDEX print_jobs_by_age ON print_jobs (updated_at, state, bytes);

-- The process that sends to a printer, until `expires`, in seconds since 1970, and the state that it saw last; `asked` is
-- when another process was asked for that.
CREATE TABLE print_leases (
    printer TEXT             NOT NULL PRIMARY KEY,
    holder  TEXT             NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    asked   DOUBLE PRECISION NOT NULL,
    state   TEXT             NOT NULL,
    since   TEXT             NOT NULL
);
