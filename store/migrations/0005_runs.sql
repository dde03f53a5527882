-- How a session is held by both ends, and the message that waits for it: JSON, '' for none.
ALTER TABLE sessions ADD COLUMN managed_run TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN queued_message TEXT NOT NULL DEFAULT '';

-- Calls that were put off: their agent's process has ended, and their answer is for the one
-- that resumes its session. JSON of broker.Checkpoint.
CREATE TABLE checkpoints (
	request_id TEXT PRIMARY KEY,
	session_id TEXT NOT NULL,
	data       TEXT NOT NULL
) STRICT;

-- Rules may put calls off.
CREATE TABLE new_rules (
    id            TEXT    NOT NULL PRIMARY KEY,
    version       INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
    priority      INTEGER NOT NULL, -- lower comes first
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    scope_project TEXT    NOT NULL, -- empty in each of the three: everywhere
    scope_session TEXT    NOT NULL,
    scope_agent   TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
    where_json    TEXT    NOT NULL, -- JSON object: parameter to pattern
    decision      TEXT    NOT NULL CHECK (decision IN ('allow', 'deny', 'ask', 'defer')),
    dangerous     INTEGER NOT NULL DEFAULT 0 CHECK (dangerous IN (0, 1)),
    reason        TEXT    NOT NULL,
    expires_at_ms INTEGER, -- NULL: never
    max_uses      INTEGER CHECK (max_uses > 0), -- NULL: no limit
    created_by    TEXT    NOT NULL,
    created_from  TEXT    NOT NULL, -- id of a request, or empty
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL
) STRICT;

INSERT INTO new_rules SELECT * FROM rules;

DROP TABLE rules;

ALTER TABLE new_rules RENAME TO rules;

-- One more type of fact.
DROP INDEX events_facts;

CREATE INDEX events_facts ON events (type)
    WHERE type IN ('rule_saved', 'rule_removed', 'rules_file_trusted', 'token_minted', 'token_revoked', 'frozen', 'log_archived');
