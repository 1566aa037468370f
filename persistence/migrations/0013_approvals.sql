-- Calls that wait for approval, and what their logs say before any attempt.

-- Published to wait, and not yet to run. It follows the newest publication; of a call that has ended it means nothing.
ALTER TABLE calls ADD COLUMN held boolean NOT NULL DEFAULT false;
-- For those who decide, and for the reaper, which ends what no one decides.
CREATE INDEX calls_held ON calls (tenant_id, call_id) WHERE held;

-- As in 0006: a partition that was attached keeps a constraint of its own.
ALTER TABLE call_events DROP CONSTRAINT call_events_type, DROP CONSTRAINT call_events_attempt;
DO $$
DECLARE child regclass;
BEGIN
  FOR child IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'call_events'::regclass LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS call_events_type, '
                   'DROP CONSTRAINT IF EXISTS call_events_attempt', child);
  END LOOP;
END $$;
ALTER TABLE call_events
  ADD CONSTRAINT call_events_type CHECK (type IN ('started', 'progress', 'log', 'cancel_requested', 'retry_at',
    'approval_requested', 'approval_decided')),
  -- Approvals come before any attempt, and a cancellation may.
  ADD CONSTRAINT call_events_attempt CHECK (attempt >= 1 OR (attempt = 0 AND type IN
    ('cancel_requested', 'approval_requested', 'approval_decided')));

-- The reaper looks every second for decisions, too, whose gateway may have died.
DROP INDEX call_events_retries;
CREATE INDEX call_events_retries ON call_events (incarnation, sequence) WHERE type IN ('retry_at', 'approval_decided');
