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

-- One more type of fact.
DROP INDEX events_facts;

CREATE INDEX events_facts ON events (type)
    WHERE type IN ('rule_saved', 'rule_removed', 'rules_file_trusted', 'token_minted', 'token_revoked', 'frozen', 'log_archived');
