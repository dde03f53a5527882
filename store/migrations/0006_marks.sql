-- What a person said of a session, its name or that it is put away: JSON, '' for nothing.
ALTER TABLE sessions ADD COLUMN marks TEXT NOT NULL DEFAULT '';
