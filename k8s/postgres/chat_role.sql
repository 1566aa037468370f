-- What a Postgres role of `toolway chat` may do, and no more: it writes conversations, and reads of calls which there are, whose they are
-- and when they ended; not their arguments, their results or the audit. Run it as the owner of the tables after each `toolway migrate`:
--   CREATE ROLE toolway_chat LOGIN PASSWORD '…'
--   psql POSTGRES_URL --set role=toolway_chat --file chat_role.sql
GRANT SELECT, INSERT, UPDATE ON conversations, conversation_calls TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON conversation_waiters TO :"role";
GRANT SELECT, INSERT ON messages TO :"role";
GRANT SELECT (call_id, session_key, completed_at, xid, number) ON completions TO :"role";
GRANT SELECT (call_id, parent_call_id, namespace) ON calls TO :"role";
GRANT SELECT (session_key, session_id, state) ON sessions TO :"role";
