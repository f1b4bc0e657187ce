-- Jobs of printers, and which process sends to a printer.

-- part: print_job_columns
id, printer, state, labels, labels_sure, labels_unsure, message, created_at, updated_at, settled_at, resend_of,
from_label, products

-- part: queued_job
SELECT {print_job_columns}, request, start_position, tried_at, is_cancelled FROM print_jobs

-- name: print_queue_size()^
-- Jobs that are not over, and the bytes of their requests; then the same of all jobs.
SELECT COUNT(*) FILTER (WHERE state IN ('waiting', 'sending')) AS open_jobs,
       CAST(COALESCE(SUM(bytes) FILTER (WHERE state IN ('waiting', 'sending')), 0) AS BIGINT) AS open_bytes,
       COUNT(*) AS kept_jobs,
       CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS kept_bytes
FROM print_jobs;

-- name: insert_print_job(printer, labels, now, resend_of, from_label, products, start_position, bytes, request)^
INSERT INTO print_jobs (printer, state, labels, labels_sure, labels_unsure, message, created_at, updated_at,
    resend_of, from_label, products, start_position, tried_at, is_cancelled, bytes, request)
VALUES (:printer, 'waiting', :labels, 0, 0, '', :now, :now,
    :resend_of, :from_label, :products, :start_position, '', 0, :bytes, :request)
RETURNING {print_job_columns};

-- name: get_print_job(printer, id)^
SELECT {print_job_columns} FROM print_jobs WHERE printer = :printer AND id = :id;

-- name: lock_print_job(printer, id)^
SELECT {print_job_columns} FROM print_jobs WHERE printer = :printer AND id = :id {lock};

-- name: get_queued_print_job(printer, id)^
{queued_job} WHERE printer = :printer AND id = :id;

-- name: list_print_jobs(printer, before, limit)
SELECT {print_job_columns} FROM print_jobs WHERE printer = :printer AND id < :before ORDER BY id DESC LIMIT :limit;

-- name: list_unsettled_print_jobs(printer, before, limit)
SELECT {print_job_columns}
FROM print_jobs
WHERE printer = :printer AND id < :before AND state IN ('failed', 'in_doubt') AND settled_at IS NULL
ORDER BY id DESC
LIMIT :limit;

-- name: next_print_job(printer)^
{queued_job} WHERE printer = :printer AND state IN ('waiting', 'sending') ORDER BY id LIMIT 1;

-- name: waiting_print_jobs()
-- The job that is being sent does not wait, but its printer is one with jobs.
SELECT printer, COUNT(CASE WHEN state = 'waiting' THEN 1 END) AS waiting
FROM print_jobs
WHERE state IN ('waiting', 'sending')
GROUP BY printer;

-- name: note_print_try(id, message, now)!
-- The first attempt begins the time after which the job fails.
UPDATE print_jobs
SET tried_at = CASE WHEN tried_at = '' THEN :now ELSE tried_at END, message = :message, updated_at = :now
WHERE id = :id AND state IN ('waiting', 'sending');

-- name: note_print_wait(id, message, now)!
-- The message of a job that is cancelled says so.
UPDATE print_jobs
SET message = :message, updated_at = :now
WHERE id = :id AND state = 'sending' AND is_cancelled = 0;

-- name: begin_print_document(id, unsure, now)!
-- Before its first byte is sent: after a crash these labels are unsure.
UPDATE print_jobs
SET state = 'sending', labels_unsure = :unsure, message = '', tried_at = '', updated_at = :now
WHERE id = :id AND state IN ('waiting', 'sending') AND is_cancelled = 0;

-- name: take_back_print_document(id, unsure, tried_at, now)!
-- None of its bytes went out, so the time still counts from the first attempt.
UPDATE print_jobs
SET state = CASE WHEN labels_sure + :unsure > 0 THEN state ELSE 'waiting' END, labels_unsure = :unsure,
    tried_at = :tried_at, updated_at = :now
WHERE id = :id AND state = 'sending';

-- name: confirm_print_documents(id, sure, now)!
UPDATE print_jobs
SET labels_sure = :sure, labels_unsure = 0, updated_at = :now
WHERE id = :id AND state = 'sending';

-- name: end_print_job(id, state, message, now)^
-- A job has failed only if nothing of it can be printed. One that somebody has cancelled shows that.
UPDATE print_jobs
SET state = CASE
        WHEN :state = 'failed' AND labels_sure + labels_unsure > 0 THEN 'in_doubt'
        WHEN :state IN ('printed', 'sent') AND is_cancelled = 1 THEN 'cancelled'
        ELSE :state
    END,
    message = :message, updated_at = :now
WHERE id = :id AND state IN ('waiting', 'sending')
RETURNING {print_job_columns};

-- name: ask_to_cancel_print_job(id, message, now)^
UPDATE print_jobs SET is_cancelled = 1, message = :message, updated_at = :now WHERE id = :id RETURNING {print_job_columns};

-- name: settle_print_job(id, now)^
UPDATE print_jobs SET settled_at = COALESCE(settled_at, :now) WHERE id = :id RETURNING {print_job_columns};

-- name: is_print_job_cancelled(id)^
SELECT is_cancelled FROM print_jobs WHERE id = :id;

-- name: doubt_print_jobs(printer, message, now)
-- Jobs that another process was sending when it ended.
UPDATE print_jobs
SET state = 'in_doubt', message = :message, updated_at = :now
WHERE printer = :printer AND state = 'sending' AND labels_unsure > 0
RETURNING {print_job_columns};

-- name: end_left_print_jobs(printer, used_by, message, now)
-- Jobs of a printer that no process sends to any longer.
UPDATE print_jobs
SET state = CASE WHEN labels_sure + labels_unsure > 0 THEN 'in_doubt' ELSE 'failed' END,
    message = :message, updated_at = :now
WHERE printer = :printer AND state IN ('waiting', 'sending') AND updated_at <= :used_by
RETURNING {print_job_columns};

-- name: delete_old_print_jobs(used_by, limit)!
DELETE FROM print_jobs
WHERE id IN (
    SELECT id
    FROM print_jobs
    WHERE updated_at <= :used_by AND state NOT IN ('waiting', 'sending')
    ORDER BY updated_at
    LIMIT :limit
);

-- name: make_room_for_print_job(jobs, bytes)!
-- Deletes no more than necessary to free room for this many jobs and bytes; what people may still need goes last.
DELETE FROM print_jobs
WHERE id IN (
    SELECT id
    FROM (
        SELECT id, bytes, ROW_NUMBER() OVER oldest_first AS place, SUM(bytes) OVER oldest_first AS freed
        FROM print_jobs
        WHERE state NOT IN ('waiting', 'sending')
        WINDOW oldest_first AS (
            ORDER BY CASE WHEN state IN ('in_doubt', 'failed') THEN 1 ELSE 0 END, updated_at, id
            ROWS UNBOUNDED PRECEDING
        )
    ) AS jobs_over
    WHERE place <= :jobs OR freed - bytes < :bytes
);

-- name: claim_printer(printer, holder, seconds, now)!
-- Changes nothing while another process has the printer.
INSERT INTO print_leases (printer, holder, expires, asked, state, since)
VALUES (:printer, :holder, {epoch} + :seconds, 0, 'unknown', :now)
ON CONFLICT (printer) DO UPDATE
SET holder = excluded.holder, expires = excluded.expires
WHERE print_leases.expires < {epoch} OR print_leases.holder = excluded.holder;

-- name: hold_printer(printer, holder, seconds)!
-- Changes nothing if another process has taken the printer meanwhile.
UPDATE print_leases SET expires = {epoch} + :seconds WHERE printer = :printer AND holder = :holder;

-- name: release_printer(printer, holder)!
UPDATE print_leases SET expires = 0 WHERE printer = :printer AND holder = :holder;

-- name: note_printer_state(printer, holder, state, since)!
UPDATE print_leases SET state = :state, since = :since WHERE printer = :printer AND holder = :holder;

-- name: ask_held_printers()!
UPDATE print_leases SET asked = {epoch} WHERE expires > {epoch} AND asked < {epoch} - 1;

-- name: asked_printers(seconds)
SELECT printer FROM print_leases WHERE asked > {epoch} - :seconds;

-- name: held_printers()
SELECT printer, state, since FROM print_leases WHERE expires > {epoch};
