-- A change of a level is a movement, and what a key keeps of a reply is its body.

ALTER TABLE level_changes RENAME TO movements;
ALTER TABLE idempotency_keys RENAME COLUMN answer TO body;
