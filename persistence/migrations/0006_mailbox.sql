-- What sessions that close, are read by cursor and expire need, and attempts that
-- are to be followed by another one.

-- The mailbox is read by this cursor, within a session.
CREATE INDEX completions_of_mailbox ON completions (session_key, xid, number);

-- A partition that was attached keeps a constraint of its own when its parent's is
-- dropped; the default partition, made with the parent, does not.
ALTER TABLE call_events DROP CONSTRAINT call_events_type;
DO $$
DECLARE child regclass;
BEGIN
  FOR child IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'call_events'::regclass LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS call_events_type', child);
  END LOOP;
END $$;
ALTER TABLE call_events ADD CONSTRAINT call_events_type
  CHECK (type IN ('started', 'progress', 'log', 'cancel_requested', 'retry_at'));

ALTER TABLE sessions
  ADD COLUMN closing        text,         -- how it was closed last; NULL: never closed
  ADD COLUMN closed_at      timestamptz,  -- when it was closed last
  ADD COLUMN active_at      timestamptz,  -- when it was used last, roughly; NULL: not told
  ADD COLUMN toolset_digest text,
  -- Everything up to here is read, in the order of (completions.xid, number).
  ADD COLUMN read_xid       xid8   NOT NULL DEFAULT '0',
  ADD COLUMN read_number    bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT sessions_closing CHECK (closing IN ('wait', 'detach', 'cancel', 'expired')),
  ADD CONSTRAINT sessions_closed CHECK (closing IS NULL OR closed_at IS NOT NULL);
-- For the search for idle ones.
CREATE INDEX sessions_open ON sessions ((greatest(active_at, updated_at))) WHERE state = 'open';

-- The number of the newest Alive in its call's log, so that a log whose events have
-- left the stream goes on without a repeat. 0: written before this column was.
ALTER TABLE call_alive ADD COLUMN seq integer NOT NULL DEFAULT 0;

-- What the streams and durables should be, as they were provisioned last: the
-- collectors make again what somebody deleted. One row at most.
CREATE TABLE stream_layout (
  single     boolean     PRIMARY KEY DEFAULT true CHECK (single),
  layout     json        NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now()
);
