-- What became of each call that was held for approval. A row follows the newest event of its call's log that says something about it.
CREATE TABLE approvals (
  call_id      uuid        PRIMARY KEY,
  tenant_id    text        NOT NULL,
  user_id      text        NOT NULL,    -- who asked for the call
  namespace    text        NOT NULL,
  tool         text        NOT NULL,
  requested_at timestamptz NOT NULL,
  seq          integer     NOT NULL,    -- of that event; 0: the request itself
  -- A call that waits here and has a completion was cancelled before its log had an event.
  state        text        NOT NULL,
  decided_at   timestamptz,             -- or when it ended; NULL: it waits
  decided_by   text,                    -- who said the last word; NULL: no one did, or it was recorded before this table was made
  CONSTRAINT approvals_state CHECK (state IN ('waiting', 'approved', 'denied', 'expired', 'stale', 'cancelled'))
);
CREATE INDEX approvals_in_order ON approvals (tenant_id, call_id) WHERE state <> 'waiting';

-- Calls that are recorded already. Who decided is in their events.
INSERT INTO approvals
SELECT c.call_id, c.tenant_id, c.user_id, c.namespace, c.tool, c.submitted_at,
  CASE WHEN s.state = 'waiting' THEN coalesce(d.seq, 0) ELSE coalesce(f.seq, d.seq, 0) END, s.state,
  CASE s.state WHEN 'waiting' THEN NULL WHEN 'approved' THEN d.time ELSE coalesce(f.completed_at, d.time) END, NULL
FROM (SELECT call_id FROM calls WHERE held
      UNION SELECT call_id FROM call_events WHERE type IN ('approval_requested', 'approval_decided')) h
JOIN calls c ON c.call_id = h.call_id
LEFT JOIN completions f ON f.call_id = h.call_id
LEFT JOIN LATERAL (SELECT max(seq) AS seq, max(time) AS time FROM call_events e
                   WHERE e.call_id = h.call_id AND e.type = 'approval_decided') d ON true
CROSS JOIN LATERAL (SELECT CASE
  WHEN f.error_code = 'approval_denied' THEN 'denied'
  WHEN f.error_code = 'approval_expired' THEN 'expired'
  WHEN f.error_code = 'approval_stale' THEN 'stale'
  WHEN NOT c.held THEN 'approved'
  WHEN f.call_id IS NOT NULL THEN 'cancelled'
  ELSE 'waiting' END AS state) s;

-- As in 0005, and what became of held calls leaves with them.
CREATE OR REPLACE FUNCTION drop_partitions_before(first_kept date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  child   text;
  dropped integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('calls'::regclass, 'call_events'::regclass, 'completions'::regclass,
                          'blobs'::regclass)
      AND c.relname ~ '_\d{8}$' AND right(c.relname, 8) < to_char(first_kept, 'YYYYMMDD')
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE %I', child);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM call_alive WHERE call_id < first_uuid_of(first_kept);
  DELETE FROM approvals WHERE call_id < first_uuid_of(first_kept);
  DELETE FROM recorded_batches WHERE committed_at < first_kept::timestamp AT TIME ZONE 'UTC';
  RETURN dropped;
END $$;
