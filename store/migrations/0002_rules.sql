-- What holds about rules, trusted files and tokens is what the log's facts say: the
-- events of the five types below, numbered from 1 in their subject, "fact/1". The
-- tables here repeat it for other programs to read, and nothing is decided by them.

-- 0001's table had no version and counted uses itself; nothing ever wrote to it.
DROP TABLE rules;

CREATE TABLE rules (
    id            TEXT    NOT NULL PRIMARY KEY,
    version       INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    priority      INTEGER NOT NULL, -- lower comes first
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    scope_project TEXT    NOT NULL, -- empty in each of the three: everywhere
    scope_session TEXT    NOT NULL,
    scope_agent   TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
    where_json    TEXT    NOT NULL, -- JSON object: parameter to pattern
    decision      TEXT    NOT NULL CHECK (decision IN ('allow', 'deny', 'ask')),
    dangerous     INTEGER NOT NULL DEFAULT 0 CHECK (dangerous IN (0, 1)),
    reason        TEXT    NOT NULL,
    expires_at_ms INTEGER, -- NULL: never
    max_uses      INTEGER CHECK (max_uses > 0), -- NULL: no limit
    created_by    TEXT    NOT NULL,
    created_from  TEXT    NOT NULL, -- id of a request, or empty
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT;

-- Of every rule that ever spoke, also of built-in ones, those of projects' own files,
-- and removed ones: a rule that comes back is as used up as it was.
CREATE TABLE rule_use (
    id              TEXT    NOT NULL PRIMARY KEY,
    uses            INTEGER NOT NULL CHECK (uses >= 0),
    last_used_at_ms INTEGER NOT NULL
) STRICT;

-- How many facts the log has, so that one taken from its end is noticed.
ALTER TABLE head ADD COLUMN facts INTEGER NOT NULL DEFAULT 0;

CREATE INDEX events_facts ON events (type)
    WHERE type IN ('rule_saved', 'rule_removed', 'rules_file_trusted', 'token_minted', 'token_revoked');

-- To count the calls that a rule decided without reading them.
CREATE INDEX requests_by_rule ON requests (by_id, decided_at_ms) WHERE by_kind = 'rule';
