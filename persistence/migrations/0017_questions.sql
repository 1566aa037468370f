-- What tools ask while they run, and that it was answered.

-- As in 0006: a partition that was attached keeps a constraint of its own.
ALTER TABLE call_events DROP CONSTRAINT call_events_type;
DO $$
DECLARE child regclass;
BEGIN
  FOR child IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'call_events'::regclass LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS call_events_type', child);
  END LOOP;
END $$;
ALTER TABLE call_events
  ADD CONSTRAINT call_events_type CHECK (type IN ('started', 'progress', 'log', 'cancel_requested', 'retry_at',
    'approval_requested', 'approval_decided', 'input_requested', 'input_provided'));
