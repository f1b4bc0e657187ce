-- The tables that both engines describe in the same words; each engine's script of this number goes on with what follows
-- from their rows, such as counters and the index of searches. Migrations with higher numbers change them.
--
-- Timestamps are texts, which sort by time: UTC, ISO 8601, milliseconds, Z.

-- The catalogue

CREATE TABLE products (
    id                 {row_id},
    product_code       {text} NOT NULL UNIQUE,
    description        {text} NOT NULL,
    category           {text} NOT NULL,
    unit_of_measure    {text} NOT NULL,
    created_at         {text} NOT NULL,
    updated_at         {text} NOT NULL,
    -- what searches and scans compare, without regard to case and accents; the service derives it. The values of
    -- attributes follow the description, each on a line, in the order of their names
    code_folded        {text} NOT NULL,
    description_folded {text} NOT NULL,
    -- the number that the code spells, or NULL (barcodesvc/numbers/canonical.py)
    number_key         {text},
    -- further texts by their names, as a JSON object
    attributes         {text} NOT NULL DEFAULT '{}'
);

CREATE INDEX products_by_category ON products (category, id);
CREATE INDEX products_by_number_key ON products (number_key) WHERE number_key IS NOT NULL;
-- Sorted lists, equal values by id; descriptions are sorted without attributes.
CREATE INDEX products_by_code_folded ON products (code_folded {then_id});
CREATE INDEX products_by_description ON products (
    substr(substr(description_folded, 1, {place_of}(description_folded || {line_feed}, {line_feed}) - 1), 1, 100) {then_id}
);
CREATE INDEX products_by_change ON products (updated_at {then_id});

-- Levels and their history

CREATE TABLE levels (
    id            {row_id},
    product_id    BIGINT NOT NULL UNIQUE REFERENCES products (id) ON DELETE CASCADE,
    current_level BIGINT NOT NULL CHECK (current_level >= 0),
    minimum_level BIGINT NOT NULL CHECK (minimum_level >= 0),
    maximum_level BIGINT NOT NULL CHECK (maximum_level = 0 OR maximum_level >= minimum_level),
    last_updated  {text} NOT NULL,
    updated_by    {text} NOT NULL,
    -- when the latest change was scanned, or else written. NULL if nothing has changed since this column was added:
    -- then it is the time of the newest change
    changed_at    {text}
);

-- With all columns that count a page of low levels, so that their rows are not read.
CREATE INDEX levels_low ON levels (product_id, current_level, minimum_level) WHERE current_level <= minimum_level;
CREATE INDEX levels_by_level ON levels (current_level, product_id);

CREATE TABLE level_changes (
    id            {row_id},
    product_id    BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    old_level     BIGINT NOT NULL,
    new_level     BIGINT NOT NULL,
    change_reason {text} NOT NULL,
    updated_by    {text} NOT NULL,
    updated_at    {text} NOT NULL,
    scanned_at    {text},
    -- not a foreign key: both changes belong to one product and are deleted with it, and checking a foreign key would
    -- need an index of all changes
    undoes        BIGINT
);

CREATE INDEX level_changes_by_product ON level_changes (product_id, id);
CREATE UNIQUE INDEX level_changes_by_undone ON level_changes (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX level_changes_by_time ON level_changes (updated_at {then_id});
CREATE INDEX level_changes_by_author ON level_changes (updated_by, updated_at {then_id});

-- The idempotency keys, under which a repeated count is one count. Without a reference to products: a key outlives its
-- product, because the product that a scan finds next time may be another one.

CREATE TABLE idempotency_keys (
    idempotency_key {text} NOT NULL PRIMARY KEY,
    used_for        {text} NOT NULL,
    fingerprint     {text} NOT NULL,
    answer          {text} NOT NULL,
    used_at         {text} NOT NULL
);

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (used_at);

-- The sessions of the web app: the key that signs their cookies, created at the first start, and the sessions that were
-- logged out, each for as long as a copy of its cookie could be used.

CREATE TABLE session_key (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    session_key {text}  NOT NULL
);

CREATE TABLE ended_sessions (
    session_id {text} NOT NULL PRIMARY KEY,
    expires_at {text} NOT NULL
);

CREATE INDEX ended_sessions_by_expiry ON ended_sessions (expires_at);

-- Layouts of labels and images for them, saved under a name. `layout` is JSON; `pixels` is base64 of the compressed rows,
-- 1 for dark.

CREATE TABLE label_layouts (
    name       {text} NOT NULL PRIMARY KEY,
    layout     {text} NOT NULL,
    updated_at {text} NOT NULL
);

CREATE TABLE label_images (
    name       {text}  NOT NULL PRIMARY KEY,
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    pixels     {text}  NOT NULL,
    updated_at {text}  NOT NULL
);

-- The jobs of printers. Labels 1 to labels_sure are printed, the next labels_unsure may be. `request` is what is printed,
-- as JSON; the first label of the job is label from_label of it. `bytes` is its length, so that the sum reads no requests.
-- `products` are its first product codes, as JSON; a `start_position` of 0 is the one of the request.

CREATE TABLE print_jobs (
    id             {row_id},
    printer        {text} NOT NULL,
    state          {text} NOT NULL,
    labels         BIGINT NOT NULL CHECK (labels > 0),
    labels_sure    BIGINT NOT NULL CHECK (labels_sure >= 0),
    labels_unsure  BIGINT NOT NULL CHECK (labels_unsure >= 0 AND labels_sure + labels_unsure <= labels),
    message        {text} NOT NULL,
    created_at     {text} NOT NULL,
    updated_at     {text} NOT NULL,
    resend_of      BIGINT,
    from_label     BIGINT NOT NULL CHECK (from_label > 0),
    tried_at       {text} NOT NULL,
    is_cancelled   BIGINT NOT NULL,
    bytes          BIGINT NOT NULL,
    request        {text} NOT NULL,
    products       {text} NOT NULL DEFAULT '[]',
    start_position BIGINT NOT NULL DEFAULT 0 CHECK (start_position >= 0)
);

CREATE INDEX print_jobs_by_printer ON print_jobs (printer, id);
CREATE INDEX print_jobs_open ON print_jobs (printer, id) WHERE state IN ('waiting', 'sending');
CREATE INDEX print_jobs_by_age ON print_jobs (updated_at, state, bytes);

-- The process that sends to a printer, until `expires`, in seconds since 1970, and the state that it last saw; `asked`
-- is when another process was last asked for that state.

CREATE TABLE print_leases (
    printer {text}           NOT NULL PRIMARY KEY,
    holder  {text}           NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    asked   DOUBLE PRECISION NOT NULL,
    state   {text}           NOT NULL,
    since   {text}           NOT NULL
);
