-- How far a conversation has learned of its session's calls that no model made: up to here in the mailbox, in the order of
-- (completions.xid, number). One that begins knows all before it.
ALTER TABLE conversations
  ADD COLUMN heard_xid    xid8   NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
  ADD COLUMN heard_number bigint NOT NULL DEFAULT 0;
-- Of one conversation, whatever the plan: there may be many of others.
DROP INDEX conversation_calls_untold;
CREATE INDEX conversation_calls_untold ON conversation_calls (conversation, call_id) WHERE told_in IS NULL;
