-- Where the agent writes a session's transcript, as it says itself.
ALTER TABLE sessions ADD COLUMN transcript TEXT NOT NULL DEFAULT '';

-- To find how a call ended.
CREATE INDEX events_ran ON events (request_id) WHERE type = 'post_tool' AND request_id <> '';

-- To find what a session's user said last, however long ago that was.
CREATE INDEX events_user ON events (session_id) WHERE type = 'user';
