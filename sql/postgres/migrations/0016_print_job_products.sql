-- What a print job is about, and where on a sheet it begins.

-- `products` are its first product codes, as JSON; a `start_position` of 0 is the one of the request.
ALTER TABLE print_jobs ADD COLUMN products TEXT COLLATE "C" NOT NULL DEFAULT '[]';
ALTER TABLE print_jobs ADD COLUMN start_position BIGINT NOT NULL DEFAULT 0 CHECK (start_position >= 0);
