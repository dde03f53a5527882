-- Times are milliseconds since 1970 UTC; 0 in a NOT NULL time means "never".
-- JSON is kept as text, byte for byte as it arrived.

CREATE TABLE sessions (
    id               TEXT    NOT NULL PRIMARY KEY,
    agent            TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    cwd              TEXT    NOT NULL,
    project_dir      TEXT    NOT NULL,
    mode             TEXT    NOT NULL,
    pane             TEXT    NOT NULL,
    pid              INTEGER NOT NULL,
    process_start    INTEGER NOT NULL,
    state            TEXT    NOT NULL CHECK (state IN ('active', 'idle', 'stopping', 'stopped', 'finished', 'gone')),
    started_at_ms    INTEGER NOT NULL,
    last_seen_at_ms  INTEGER NOT NULL,
    stop_asked_at_ms INTEGER NOT NULL,
    ended_at_ms      INTEGER NOT NULL,
    exit_code        INTEGER, -- NULL: none is known
    end_reason       TEXT    NOT NULL,
    subagents        TEXT    NOT NULL -- JSON array of {id, type}
) STRICT;

CREATE INDEX sessions_last_seen ON sessions (last_seen_at_ms);

CREATE TABLE requests (
    n             INTEGER PRIMARY KEY, -- in the order of insertion
    id            TEXT    NOT NULL UNIQUE,
    key           TEXT    UNIQUE, -- NULL: the request has no correlation key
    session_id    TEXT    NOT NULL,
    agent         TEXT    NOT NULL,
    event         TEXT    NOT NULL,
    tool_use_id   TEXT    NOT NULL,
    subagent_id   TEXT    NOT NULL,
    subagent_type TEXT    NOT NULL,
    tool_name     TEXT    NOT NULL,
    tool_input    TEXT    NOT NULL,
    cwd           TEXT    NOT NULL,
    mode          TEXT    NOT NULL,
    description   TEXT    NOT NULL,
    digest        TEXT    NOT NULL,
    asker_pid     INTEGER NOT NULL,
    asker_start   INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    status        TEXT    NOT NULL CHECK (status IN ('pending', 'allowed', 'denied', 'expired', 'cancelled', 'answered')),
    decided_at_ms INTEGER, -- NULL exactly while pending
    by_kind       TEXT    NOT NULL DEFAULT '',
    by_id         TEXT    NOT NULL DEFAULT '',
    by_pid        INTEGER NOT NULL DEFAULT 0,
    by_exe        TEXT    NOT NULL DEFAULT '',
    by_tty        TEXT    NOT NULL DEFAULT '',
    reason        TEXT    NOT NULL DEFAULT '',
    updated_input TEXT    NOT NULL DEFAULT '',
    CHECK ((status = 'pending') = (decided_at_ms IS NULL))
) STRICT;

CREATE INDEX requests_session ON requests (session_id);
CREATE INDEX requests_pending ON requests (n) WHERE status = 'pending';
CREATE INDEX requests_decided ON requests (decided_at_ms) WHERE decided_at_ms IS NOT NULL;

CREATE TABLE rules (
    id            TEXT    NOT NULL PRIMARY KEY,
    priority      INTEGER NOT NULL, -- lower comes first
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    scope_project TEXT    NOT NULL, -- empty in each of the three: everywhere
    scope_session TEXT    NOT NULL,
    scope_agent   TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
    where_json    TEXT    NOT NULL, -- JSON object: parameter to pattern
    decision      TEXT    NOT NULL CHECK (decision IN ('allow', 'deny', 'ask')),
    reason        TEXT    NOT NULL,
    expires_at_ms INTEGER, -- NULL: never
    max_uses      INTEGER CHECK (max_uses > 0), -- NULL: no limit
    uses          INTEGER NOT NULL DEFAULT 0 CHECK (uses >= 0),
    created_by    TEXT    NOT NULL,
    created_from  TEXT    NOT NULL, -- id of a request, or empty
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE grants (
    id            TEXT    NOT NULL PRIMARY KEY,
    session_id    TEXT    NOT NULL,
    subagent_id   TEXT    NOT NULL,
    digest        TEXT    NOT NULL,
    request_id    TEXT    NOT NULL,
    by_kind       TEXT    NOT NULL,
    by_id         TEXT    NOT NULL,
    by_pid        INTEGER NOT NULL,
    by_exe        TEXT    NOT NULL,
    by_tty        TEXT    NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    used_by       TEXT -- id of the request that used it; NULL: unused
) STRICT;

CREATE INDEX grants_unused ON grants (created_at_ms) WHERE used_by IS NULL;

-- Append-only. Package store/chain says how hash and seal are made.
CREATE TABLE events (
    seq        INTEGER PRIMARY KEY CHECK (seq > 0),
    at_ms      INTEGER NOT NULL,
    type       TEXT    NOT NULL CHECK (type <> ''),
    session_id TEXT    NOT NULL,
    request_id TEXT    NOT NULL,
    data       TEXT    NOT NULL, -- one JSON object, or empty
    subject    TEXT, -- the row this event vouches for, if any
    seal       BLOB,
    hash       BLOB    NOT NULL CHECK (length(hash) = 32),
    CHECK ((subject IS NULL) = (seal IS NULL))
) STRICT;

CREATE INDEX events_session ON events (session_id);
CREATE UNIQUE INDEX events_subject ON events (subject, type) WHERE subject IS NOT NULL;
CREATE INDEX events_stop ON events (session_id) WHERE type IN ('stop_requested', 'stop_lifted');

-- The newest event once more, so that a log cut short is noticed.
CREATE TABLE head (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    seq  INTEGER NOT NULL,
    hash BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

INSERT INTO head (one, seq, hash) VALUES (1, 0, zeroblob(32));
