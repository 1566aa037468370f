-- The reaper looks every second for answers, too: the gateway that answered a parked call may have died.
DROP INDEX call_events_retries;
CREATE INDEX call_events_retries ON call_events (incarnation, sequence)
  WHERE type IN ('retry_at', 'approval_decided', 'input_provided');
-- For a new reaper: a parked call may be older than others are searched for.
CREATE INDEX call_events_asked ON call_events (call_id) WHERE type = 'input_requested';
