-- The audit of a change of a spec says who made it: the caller whom a gateway has established, in the transaction's setting `toolway.caller`.
-- Without it, only what the change itself says of that is known, as before.
CREATE OR REPLACE FUNCTION audit_tool_specs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  made   audit_log;
  caller json := nullif(current_setting('toolway.caller', true), '')::json;
BEGIN
  made.at := clock_timestamp();
  made.what := 'spec_' || NEW.what;
  made.id := gen_random_uuid();
  made.seq := 0;
  made.tenant_id := coalesce(caller->>'tenant', NEW.tenant_id);
  made.user_id := coalesce(caller->>'user', NEW.who);
  made.method := coalesce(caller->>'method', 'operator');
  made.key_id := coalesce(caller->>'key', '');
  made.session_id := '';
  made.object := NEW.namespace || '.' || NEW.name;
  made.outcome := '';
  made.code := '';
  made.details := CASE WHEN NEW.who = made.user_id
    THEN json_build_object('digest', NEW.digest, 'candidate', NEW.candidate, 'rollout', NEW.rollout, 'enabled', NEW.enabled)
    ELSE json_build_object('digest', NEW.digest, 'candidate', NEW.candidate, 'rollout', NEW.rollout, 'enabled', NEW.enabled,
                           'by', NEW.who) END;
  INSERT INTO audit_log (at, what, id, seq, tenant_id, user_id, method, key_id, session_id, object, outcome, code, details, digest)
  VALUES (made.at, made.what, made.id, made.seq, made.tenant_id, made.user_id, made.method, made.key_id, made.session_id,
          made.object, made.outcome, made.code, made.details, sha256(convert_to(audit_text(made), 'UTF8')));
  RETURN NULL;
END $$;
