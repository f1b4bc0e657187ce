-- A job that has failed or is in doubt needs attention until it is settled.

ALTER TABLE print_jobs ADD COLUMN settled_at {text};

UPDATE print_jobs SET settled_at = updated_at WHERE id IN (SELECT resend_of FROM print_jobs);

CREATE INDEX print_jobs_unsettled ON print_jobs (printer, id) WHERE state IN ('failed', 'in_doubt') AND settled_at IS NULL;
