-- Daily partitions (UTC). Rows that came before their partition was made lie in
-- the DEFAULT partition and move when it is.

-- The smallest UUIDv7 of a day.
CREATE FUNCTION first_uuid_of(day date) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT (rpad(lpad(to_hex((extract(epoch FROM day::timestamp) * 1000)::bigint), 12, '0'), 32, '0'))::uuid
$$;

-- Makes the partitions of the days from `first_day` to `last_day`, as far as
-- they are missing; returns how many it made.
CREATE FUNCTION make_partitions(first_day date, last_day date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  day    date;
  child  text;
  low    uuid;
  high   uuid;
  made   integer := 0;
BEGIN
  -- Two collectors must not make the same partition.
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOREACH parent IN ARRAY ARRAY['calls', 'call_events', 'completions'] LOOP
    FOR day IN SELECT generate_series(first_day, last_day, interval '1 day')::date LOOP
      child := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
      CONTINUE WHEN to_regclass(child) IS NOT NULL;
      low := first_uuid_of(day);
      high := first_uuid_of(day + 1);
      -- Made apart and attached: unlike CREATE … PARTITION OF, this lets others
      -- go on writing to the parent.
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)',
                     child, parent);
      EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent || '_default');
      EXECUTE format('WITH moved AS (DELETE FROM %I WHERE call_id >= $1 AND call_id < $2 RETURNING *) '
                     'INSERT INTO %I SELECT * FROM moved', parent || '_default', child)
        USING low, high;
      -- Proves the bounds, so that attaching does not read the table again.
      EXECUTE format('ALTER TABLE %I ADD CONSTRAINT bounds CHECK (call_id >= %L AND call_id < %L)',
                     child, low, high);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                     parent, child, low, high);
      EXECUTE format('ALTER TABLE %I DROP CONSTRAINT bounds', child);
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Retention: drops the partitions of the days before `first_kept`, and what
-- else is older; returns how many partitions it dropped.
CREATE FUNCTION drop_partitions_before(first_kept date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  child   text;
  dropped integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('calls'::regclass, 'call_events'::regclass, 'completions'::regclass)
      AND c.relname ~ '_\d{8}$' AND right(c.relname, 8) < to_char(first_kept, 'YYYYMMDD')
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE %I', child);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM call_alive WHERE call_id < first_uuid_of(first_kept);
  DELETE FROM recorded_batches WHERE committed_at < first_kept::timestamp AT TIME ZONE 'UTC';
  RETURN dropped;
END $$;

SELECT make_partitions((now() AT TIME ZONE 'UTC')::date, (now() AT TIME ZONE 'UTC')::date + 3);
