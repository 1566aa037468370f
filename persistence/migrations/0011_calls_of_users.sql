-- For the lists of a user's calls over all sessions. Every call pays for the first two indexes, and only the few that it
-- holds for each of the others.
CREATE INDEX calls_of_user ON calls (tenant_id, user_id, call_id);
CREATE INDEX calls_of_tool ON calls (tenant_id, user_id, tool, call_id);
CREATE INDEX completions_not_succeeded ON completions (outcome, call_id) WHERE outcome <> 'succeeded';
CREATE INDEX completions_with_error ON completions (error_code, call_id) WHERE error_code IS NOT NULL;
CREATE INDEX completions_slow ON completions (call_id) WHERE completed_at - started_at >= interval '1 s';
CREATE INDEX completions_retried ON completions (call_id) WHERE attempt >= 2;
CREATE INDEX call_events_retried ON call_events (call_id) WHERE attempt >= 2 AND type = 'started';
