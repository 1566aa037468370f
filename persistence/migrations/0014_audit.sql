-- Who decided what, and what came of it; and seals, which prove that none of it was changed since.

CREATE SEQUENCE audit_number;

CREATE TABLE audit_log (
  at         timestamptz NOT NULL,             -- when it happened
  what       text        NOT NULL,             -- call_held, call_decided, call_ended, refused, key_created …
  id         uuid        NOT NULL,             -- the call's, or one of its own
  seq        integer     NOT NULL DEFAULT 0,   -- of the call's event; 0: it has none
  tenant_id  text        NOT NULL DEFAULT 'default',
  user_id    text        NOT NULL DEFAULT '',  -- who asked or decided
  method     text        NOT NULL DEFAULT '',  -- how they were known: key, jwt, header, anonymous, operator
  key_id     text        NOT NULL DEFAULT '',
  session_id text        NOT NULL DEFAULT '',
  object     text        NOT NULL DEFAULT '',  -- what it is about: a tool, a key, a switch, a policy
  outcome    text        NOT NULL DEFAULT '',
  code       text        NOT NULL DEFAULT '',  -- of an error
  details    json,
  digest     bytea       NOT NULL,             -- SHA-256 of audit_text()
  -- As in completions: read below the oldest running transaction, xid never skips a late commit.
  xid        xid8        NOT NULL DEFAULT pg_current_xact_id(),
  number     bigint      NOT NULL DEFAULT nextval('audit_number'),
  PRIMARY KEY (at, what, id, seq),
  CONSTRAINT audit_log_digest CHECK (octet_length(digest) = 32)
) PARTITION BY RANGE (at);
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
CREATE INDEX audit_log_in_order ON audit_log (xid, number);

-- The canonical form of a record, whose SHA-256 is its digest: persistence/audit/audit_row.cc writes the same.
CREATE FUNCTION audit_text(r audit_log) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT E'toolway audit 1\n' || string_agg(octet_length(v) || ':' || v || E'\n', '' ORDER BY n)
    || CASE WHEN r.details IS NULL THEN E'-\n'
            ELSE octet_length(r.details::text) || ':' || r.details::text || E'\n' END
  FROM unnest(ARRAY[(extract(epoch FROM r.at) * 1000000)::bigint::text, r.what, r.id::text, r.seq::text, r.tenant_id,
    r.user_id, r.method, r.key_id, r.session_id, r.object, r.outcome, r.code]) WITH ORDINALITY AS field (v, n)
$$;

-- Each seal covers the records whose transactions are in [from_xid, to_xid), and its predecessor.
CREATE TABLE audit_seals (
  number     bigint      PRIMARY KEY CHECK (number >= 1),
  tenant_id  text        NOT NULL DEFAULT 'default',
  previous   bytea       NOT NULL,  -- mac of the seal before it
  made_at    timestamptz NOT NULL,
  from_xid   xid8        NOT NULL,
  to_xid     xid8        NOT NULL,
  records    integer     NOT NULL,
  last_day   date,                  -- of its records; NULL: it has none
  kept_from  date,                  -- retention: records of earlier days were dropped before it was made
  first_seal bigint      NOT NULL,  -- retention: and seals before this one
  key_id     text        NOT NULL,
  entries    bytea       NOT NULL,  -- of each record: number, xid, day, digest
  mac        bytea       NOT NULL   -- HMAC-SHA256 over all of the above, with a key that is not here
);
CREATE INDEX audit_seals_of_day ON audit_seals (last_day);
ALTER TABLE audit_seals ALTER COLUMN entries SET STORAGE EXTERNAL;  -- digests are not compressible

-- Against mistakes. Who may drop triggers changes records all the same: that is what seals are for.
CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only ever added to: what is there stays', TG_TABLE_NAME;
END $$;
CREATE FUNCTION keep_audit_seals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The newest seal says which ones retention has dropped.
  IF OLD.number < (SELECT first_seal FROM audit_seals ORDER BY number DESC LIMIT 1) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit_seals is only ever added to: what is there stays';
END $$;
-- By row, since partitions have these triggers, too; and each partition that of TRUNCATE.
CREATE TRIGGER audit_log_kept BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON audit_log_default
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_seals_unchanged BEFORE UPDATE ON audit_seals
  FOR EACH ROW EXECUTE FUNCTION keep_audit();
CREATE TRIGGER audit_seals_kept BEFORE DELETE ON audit_seals
  FOR EACH ROW EXECUTE FUNCTION keep_audit_seals();
CREATE TRIGGER audit_seals_not_emptied BEFORE TRUNCATE ON audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit();

-- As make_partitions.
CREATE FUNCTION make_audit_partitions(first_day date, last_day date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  day   date;
  child text;
  low   timestamptz;
  high  timestamptz;
  made  integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOR day IN SELECT generate_series(first_day, last_day, interval '1 day')::date LOOP
    child := format('audit_log_%s', to_char(day, 'YYYYMMDD'));
    CONTINUE WHEN to_regclass(child) IS NOT NULL;
    low := day::timestamp AT TIME ZONE 'UTC';
    high := (day + 1)::timestamp AT TIME ZONE 'UTC';
    EXECUTE format('CREATE TABLE %I (LIKE audit_log INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', child);
    LOCK TABLE audit_log_default IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE audit_log_default DISABLE TRIGGER audit_log_kept;
    EXECUTE format('WITH moved AS (DELETE FROM audit_log_default WHERE at >= $1 AND at < $2 RETURNING *) '
                   'INSERT INTO %I SELECT * FROM moved', child) USING low, high;
    ALTER TABLE audit_log_default ENABLE TRIGGER audit_log_kept;
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT bounds CHECK (at >= %L AND at < %L)', child, low, high);
    EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', child, low, high);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT bounds', child);
    EXECUTE format('CREATE TRIGGER audit_log_not_emptied BEFORE TRUNCATE ON %I '
                   'FOR EACH STATEMENT EXECUTE FUNCTION keep_audit()', child);
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;

-- Retention, after the seal that says so; returns how many partitions it dropped.
CREATE FUNCTION drop_audit_before(first_kept date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  child   text;
  dropped integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_log'::regclass
      AND c.relname ~ '_\d{8}$' AND right(c.relname, 8) < to_char(first_kept, 'YYYYMMDD')
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE %I', child);
    dropped := dropped + 1;
  END LOOP;
  IF EXISTS (SELECT FROM audit_log_default WHERE at < first_kept::timestamp AT TIME ZONE 'UTC') THEN
    LOCK TABLE audit_log_default IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE audit_log_default DISABLE TRIGGER audit_log_kept;
    DELETE FROM audit_log_default WHERE at < first_kept::timestamp AT TIME ZONE 'UTC';
    ALTER TABLE audit_log_default ENABLE TRIGGER audit_log_kept;
  END IF;
  DELETE FROM audit_seals WHERE number < (SELECT first_seal FROM audit_seals ORDER BY number DESC LIMIT 1);
  RETURN dropped;
END $$;

-- A change of a spec and its record are one transaction, whichever program makes it.
CREATE FUNCTION audit_tool_specs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  made audit_log;
BEGIN
  made.at := clock_timestamp();
  made.what := 'spec_' || NEW.what;
  made.id := gen_random_uuid();
  made.seq := 0;
  made.tenant_id := NEW.tenant_id;
  made.user_id := NEW.who;
  made.method := 'operator';
  made.key_id := '';
  made.session_id := '';
  made.object := NEW.namespace || '.' || NEW.name;
  made.outcome := '';
  made.code := '';
  made.details := json_build_object('digest', NEW.digest, 'candidate', NEW.candidate, 'rollout', NEW.rollout,
                                    'enabled', NEW.enabled);
  INSERT INTO audit_log (at, what, id, seq, tenant_id, user_id, method, key_id, session_id, object, outcome, code, details, digest)
  VALUES (made.at, made.what, made.id, made.seq, made.tenant_id, made.user_id, made.method, made.key_id, made.session_id,
          made.object, made.outcome, made.code, made.details, sha256(convert_to(audit_text(made), 'UTF8')));
  RETURN NULL;
END $$;
CREATE TRIGGER tool_specs_audited AFTER INSERT ON tool_specs
  FOR EACH ROW EXECUTE FUNCTION audit_tool_specs();

SELECT make_audit_partitions((now() AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date + 3);
