-- Who put, removed, rolled back or promoted a version, and versions that only a part of
-- the sessions gets: of a name there may be one candidate beside what is stable.
ALTER TABLE tool_specs
  ADD COLUMN candidate boolean  NOT NULL DEFAULT false,
  ADD COLUMN rollout   smallint,                          -- percent of sessions, of a candidate
  ADD COLUMN what      text     NOT NULL DEFAULT 'put',
  ADD COLUMN who       text     NOT NULL DEFAULT '',
  ADD COLUMN note      text     NOT NULL DEFAULT '';
UPDATE tool_specs SET what = 'remove' WHERE removed;
ALTER TABLE tool_specs
  ADD CONSTRAINT tool_specs_rollout CHECK (
    (candidate AND NOT removed) = (rollout IS NOT NULL) AND rollout BETWEEN 1 AND 99),
  ADD CONSTRAINT tool_specs_what CHECK (what IN ('put', 'remove', 'rollback', 'promote'));

-- A history that could be rewritten would be none.
CREATE FUNCTION keep_tool_specs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'tool_specs is only ever added to: a version that is there stays';
END $$;
CREATE TRIGGER tool_specs_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON tool_specs
  FOR EACH STATEMENT EXECUTE FUNCTION keep_tool_specs();

-- Of each name the stable version, and the candidate.
CREATE OR REPLACE VIEW tool_specs_current AS
SELECT * FROM (
  SELECT DISTINCT ON (tenant_id, namespace, name, candidate) * FROM tool_specs
  ORDER BY tenant_id, namespace, name, candidate, revision DESC) AS newest
WHERE NOT removed;

-- Every version of every name, counted from 1 by name.
CREATE VIEW tool_specs_history AS
SELECT row_number() OVER (PARTITION BY tenant_id, namespace, name ORDER BY revision) AS number, *
FROM tool_specs;
