-- Specs put by `toolway specs put`, every version of each. A version never
-- changes; of a name the one with the highest revision is current.
CREATE TABLE tool_specs (
  revision   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id  text        NOT NULL DEFAULT 'default',
  namespace  text        NOT NULL,
  name       text        NOT NULL,
  digest     text,                   -- sha256:…, of the spec
  document   json,                   -- the whole spec, as a spec file says it
  enabled    boolean     NOT NULL DEFAULT true,
  removed    boolean     NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tool_specs_content CHECK (removed = (document IS NULL) AND removed = (digest IS NULL))
);
CREATE INDEX tool_specs_of_name ON tool_specs (tenant_id, namespace, name, revision DESC);
CREATE INDEX tool_specs_of_tenant ON tool_specs (tenant_id, revision DESC);

-- Whoever writes holds the lock from before its first revision is drawn until it
-- commits. So revisions become visible in order, and a reader that has seen one
-- has seen all below it.
CREATE FUNCTION lock_tool_specs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('tool_specs'));
  RETURN NULL;
END $$;
CREATE TRIGGER tool_specs_in_order BEFORE INSERT ON tool_specs
  FOR EACH STATEMENT EXECUTE FUNCTION lock_tool_specs();

CREATE VIEW tool_specs_current AS
SELECT * FROM (
  SELECT DISTINCT ON (tenant_id, namespace, name) * FROM tool_specs
  ORDER BY tenant_id, namespace, name, revision DESC) AS newest
WHERE NOT removed;
