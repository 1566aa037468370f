-- The turn of a conversation that made the call; NULL: none did. No index: who asks for calls that no turn made reads the
-- calls of one session.
ALTER TABLE calls ADD COLUMN parent_call_id uuid;
