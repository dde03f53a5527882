-- Where the log begins here: the events up to seq are in archives. Of them stay the facts,
-- the newest stop of each session that is left, and the event before each of these and
-- event seq itself, of which only number, time and hash are left ("archived").
CREATE TABLE base (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    seq   INTEGER NOT NULL CHECK (seq >= 0),
    hash  BLOB    NOT NULL CHECK (length(hash) = 32), -- of event seq
    facts INTEGER NOT NULL CHECK (facts >= 0),        -- up to seq
    kind  TEXT    NOT NULL CHECK (kind IN ('log', 'archive'))
) STRICT;

INSERT INTO base (one, seq, hash, facts, kind) VALUES (1, 0, zeroblob(32), 0, 'log');

-- One more type of fact.
DROP INDEX events_facts;

CREATE INDEX events_facts ON events (type)
    WHERE type IN ('rule_saved', 'rule_removed', 'rules_file_trusted', 'token_minted', 'token_revoked', 'log_archived');

-- To find the events since a time, and the oldest ones, in a long log.
CREATE INDEX events_at ON events (at_ms);
