-- The sessions bucket, mirrored. A row follows the highest revision, whatever
-- order they arrive in.
CREATE TABLE sessions (
  session_key uuid        PRIMARY KEY,
  tenant_id   text        NOT NULL DEFAULT 'default',
  user_id     text        NOT NULL,
  session_id  text        NOT NULL,
  namespaces  text[]      NOT NULL,
  state       text        NOT NULL,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  incarnation bigint      NOT NULL,
  revision    bigint      NOT NULL,
  metadata    json,                  -- NULL: there is none, or json refuses it
  record      bytea       NOT NULL,  -- the SessionRecord, whole
  CONSTRAINT sessions_state CHECK (state IN ('open', 'closed')),
  CONSTRAINT sessions_revision CHECK (incarnation >= 0 AND revision >= 1)
);
CREATE INDEX sessions_of_user ON sessions (tenant_id, user_id, created_at DESC, session_key);

-- What jsonb can hold as jsonb, and anything else (\u0000, lone surrogates,
-- numbers out of range) as a JSON string that holds the text.
CREATE FUNCTION lenient_jsonb(value json) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN value::jsonb;
EXCEPTION WHEN OTHERS THEN
  RETURN to_jsonb(value::text);
END $$;

-- A session's results, one row per namespace. `available_tools` are the tools
-- of the namespace that the session has called.
CREATE VIEW session_tool_state AS
SELECT s.session_id,
       s.user_id,
       n.namespace,
       jsonb_build_object(
         'namespace', n.namespace,
         'available_tools', coalesce(r.tools, '[]'::jsonb),
         'completed_calls', coalesce(r.completed, '[]'::jsonb)) AS tool_results,
       greatest(s.updated_at, r.last_completed) AS last_updated,
       s.created_at
FROM sessions s
CROSS JOIN LATERAL unnest(s.namespaces) AS n(namespace)
CROSS JOIN LATERAL (
  SELECT jsonb_agg(DISTINCT c.tool) AS tools,
         max(f.completed_at) AS last_completed,
         jsonb_agg(
           jsonb_build_object(
             'metadata', jsonb_build_object('name', c.tool, 'id', nullif(c.tool_call_id, ''),
                                            'call_id', c.call_id, 'is_async', c.multi_step),
             'result', CASE WHEN f.outcome = 'succeeded'
               THEN jsonb_build_object('Ok', lenient_jsonb(f.result))
               ELSE jsonb_build_object('Err', jsonb_build_object(
                      'outcome', f.outcome, 'code', f.error_code, 'message', f.error_message))
               END)
           ORDER BY f.incarnation, f.sequence) FILTER (WHERE f.call_id IS NOT NULL) AS completed
  FROM calls c LEFT JOIN completions f ON f.call_id = c.call_id
  WHERE c.session_key = s.session_key AND c.namespace = n.namespace) r;
