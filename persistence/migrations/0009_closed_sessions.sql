-- Closed sessions leave their bucket once they are recorded here, and are read from here when a client asks
-- for them again.

-- Whether the bucket still holds this revision, as far as the reaper knows.
ALTER TABLE sessions ADD COLUMN in_bucket boolean NOT NULL DEFAULT true;
-- For the reaper's search for those that are to leave.
CREATE INDEX sessions_to_leave ON sessions (closed_at) WHERE state = 'closed' AND in_bucket;
-- For a gateway that is asked for one.
CREATE INDEX sessions_by_name ON sessions (tenant_id, user_id, session_id, created_at DESC);
