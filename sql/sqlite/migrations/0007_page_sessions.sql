-- The sessions of the page: the key that signs their cookies, created at the first start, and the sessions that were logged
-- out, each for as long as a copy of its cookie could be used.

CREATE TABLE session_key (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    session_key TEXT    NOT NULL
);

CREATE TABLE ended_sessions (
    session_id TEXT NOT NULL PRIMARY KEY,
    expires_at TEXT NOT NULL
);

CREATE INDEX ended_sessions_by_expiry ON ended_sessions (expires_at);
