-- A session whose namespaces are '*' sees every namespace: the view shows those it has called tools of.
CREATE OR REPLACE VIEW session_tool_state AS
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
CROSS JOIN LATERAL (
  SELECT named AS namespace FROM unnest(s.namespaces) AS named WHERE named <> '*'
  UNION
  SELECT c.namespace FROM calls c WHERE '*' = ANY (s.namespaces) AND c.session_key = s.session_key) n
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
