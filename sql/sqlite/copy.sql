-- Inserts for a copied database. Triggers maintain what is derived from the rows.

-- name: insert_copied_product(id, product_code, description, category, unit_of_measure, created_at, updated_at, code_folded, description_folded, number_key, attributes)!
INSERT INTO products (id, product_code, description, category, unit_of_measure, created_at, updated_at,
    code_folded, description_folded, number_key, attributes)
VALUES (:id, :product_code, :description, :category, :unit_of_measure, :created_at, :updated_at,
    :code_folded, :description_folded, :number_key, :attributes);

-- name: insert_copied_level(id, product_id, current_level, minimum_level, maximum_level, last_updated, updated_by, changed_at)!
INSERT INTO levels (id, product_id, current_level, minimum_level, maximum_level, last_updated, updated_by, changed_at)
VALUES (:id, :product_id, :current_level, :minimum_level, :maximum_level, :last_updated, :updated_by, :changed_at);

-- name: insert_copied_change(id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes)!
INSERT INTO movements (id, product_id, old_level, new_level, change_reason, updated_by, updated_at, scanned_at, undoes)
VALUES (:id, :product_id, :old_level, :new_level, :change_reason, :updated_by, :updated_at, :scanned_at, :undoes);

-- name: insert_copied_key(idempotency_key, used_for, fingerprint, body, used_at)!
INSERT INTO idempotency_keys (idempotency_key, used_for, fingerprint, body, used_at)
VALUES (:idempotency_key, :used_for, :fingerprint, :body, :used_at);

-- name: insert_copied_session_key(id, session_key)!
INSERT INTO session_key (id, session_key) VALUES (:id, :session_key);

-- name: insert_copied_ended_session(session_id, expires_at)!
INSERT INTO ended_sessions (session_id, expires_at) VALUES (:session_id, :expires_at);

-- name: insert_copied_label_layout(name, layout, updated_at)!
INSERT INTO label_layouts (name, layout, updated_at) VALUES (:name, :layout, :updated_at);

-- name: insert_copied_label_image(name, width, height, pixels, updated_at)!
INSERT INTO label_images (name, width, height, pixels, updated_at)
VALUES (:name, :width, :height, :pixels, :updated_at);

-- name: insert_copied_print_job(id, printer, state, labels, labels_sure, labels_unsure, message, created_at, updated_at, resend_of, from_label, tried_at, is_cancelled, bytes, request, products, start_position)!
INSERT INTO print_jobs (id, printer, state, labels, labels_sure, labels_unsure, message, created_at, updated_at,
    resend_of, from_label, tried_at, is_cancelled, bytes, request, products, start_position)
VALUES (:id, :printer, :state, :labels, :labels_sure, :labels_unsure, :message, :created_at, :updated_at,
    :resend_of, :from_label, :tried_at, :is_cancelled, :bytes, :request, :products, :start_position);

-- name: last_given_id(table)^
-- AUTOINCREMENT has a row for each table that ever had one.
SELECT COALESCE(MAX(seq), 0) AS last FROM sqlite_sequence WHERE name = :table;

-- name: forget_given_ids(table)!
DELETE FROM sqlite_sequence WHERE name = :table;

-- name: set_last_given_id(table, last)!
INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last);
