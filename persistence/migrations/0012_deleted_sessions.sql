-- A deleted session keeps its row, without its content, until nothing of it can arrive any more: what readers look up
-- in it is whether a call's session is deleted.
ALTER TABLE sessions
  DROP CONSTRAINT sessions_state,
  ADD CONSTRAINT sessions_state CHECK (state IN ('open', 'closed', 'deleted')),
  -- When the reaper purges it next; NULL: at once.
  ADD COLUMN purge_at timestamptz;
CREATE INDEX sessions_deleted ON sessions (session_key) WHERE state = 'deleted';
CREATE INDEX sessions_to_purge ON sessions (purge_at NULLS FIRST) WHERE state = 'deleted';
-- Deleted ones leave the bucket as closed ones do.
DROP INDEX sessions_to_leave;
CREATE INDEX sessions_to_leave ON sessions (closed_at) WHERE state <> 'open' AND in_bucket;
