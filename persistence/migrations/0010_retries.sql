-- For the reaper, which looks every second for attempts that are to be followed by another one. Few events are.
CREATE INDEX call_events_retries ON call_events (incarnation, sequence) WHERE type = 'retry_at';
