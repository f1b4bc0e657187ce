-- The rows of a database that are copied into another one, each table in the order of its key.

-- name: copied_products()
SELECT id, product_code, description, category, unit_of_measure, created_at, updated_at,
       code_folded, description_folded, number_key, attributes
FROM products
ORDER BY id;

-- name: copied_levels()
SELECT id, product_id, current_level, minimum_level, maximum_level, last_updated, updated_by, changed_at
FROM levels
ORDER BY id;

-- name: copied_changes()
SELECT id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes
FROM movements
ORDER BY id;

-- name: copied_keys()
SELECT idempotency_key, used_for, fingerprint, body, used_at
FROM idempotency_keys
ORDER BY idempotency_key;

-- name: copied_session_key()
SELECT id, session_key FROM session_key ORDER BY id;

-- name: copied_ended_sessions()
SELECT session_id, expires_at FROM ended_sessions ORDER BY session_id;

-- name: copied_label_layouts()
SELECT name, layout, updated_at FROM label_layouts ORDER BY name;

-- name: copied_label_images()
SELECT name, width, height, pixels, updated_at FROM label_images ORDER BY name;

-- name: copied_print_jobs()
-- The source still prints the jobs that are not over, so the copy must not.
SELECT id, printer,
       CASE WHEN state IN ('waiting', 'sending') THEN 'in_doubt' ELSE state END AS state,
       labels, labels_sure,
       CASE WHEN state IN ('waiting', 'sending') THEN labels - labels_sure ELSE labels_unsure END AS labels_unsure,
       CASE WHEN state IN ('waiting', 'sending') THEN 'it was copied from a database that may have printed it'
            ELSE message END AS message,
       created_at, updated_at, resend_of, from_label, tried_at, is_cancelled, bytes, request,
       products, start_position
FROM print_jobs
ORDER BY id;
