-- Results that were too large for their completion, in chunks, as stream BLOBS
-- has them. Two attempts of a call may each have published one: a completion
-- means the chunks of its own attempt.
CREATE TABLE blobs (
  call_id     uuid    NOT NULL,
  tenant_id   text    NOT NULL DEFAULT 'default',
  attempt     integer NOT NULL,
  number      integer NOT NULL,  -- from 0
  incarnation bigint  NOT NULL,
  sequence    bigint  NOT NULL,
  data        bytea   NOT NULL,  -- 256 KiB, but for the last one
  PRIMARY KEY (call_id, attempt, number),
  CONSTRAINT blobs_position CHECK (incarnation >= 0 AND sequence >= 1),
  CONSTRAINT blobs_number CHECK (attempt >= 1 AND number >= 0),
  CONSTRAINT blobs_data CHECK (octet_length(data) BETWEEN 1 AND 262144)
) PARTITION BY RANGE (call_id);
-- Compressing would cost the collector more time than the disk it saves.
ALTER TABLE blobs ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE blobs_default PARTITION OF blobs DEFAULT;

-- How many bytes of JSON the whole result has when `result` is a preview and
-- the rest lies in blobs. NULL: `result` is whole.
ALTER TABLE completions ADD COLUMN result_size bigint;

-- As before, and for blobs as well; children now keep the parent's storage.
CREATE OR REPLACE FUNCTION make_partitions(first_day date, last_day date) RETURNS integer
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
  FOREACH parent IN ARRAY ARRAY['calls', 'call_events', 'completions', 'blobs'] LOOP
    FOR day IN SELECT generate_series(first_day, last_day, interval '1 day')::date LOOP
      child := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
      CONTINUE WHEN to_regclass(child) IS NOT NULL;
      low := first_uuid_of(day);
      high := first_uuid_of(day + 1);
      -- Made apart and attached: unlike CREATE … PARTITION OF, this lets others
      -- go on writing to the parent.
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS '
                     'INCLUDING INDEXES INCLUDING STORAGE)', child, parent);
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

CREATE OR REPLACE FUNCTION drop_partitions_before(first_kept date) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  child   text;
  dropped integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('toolway.partitions'));
  FOR child IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('calls'::regclass, 'call_events'::regclass, 'completions'::regclass,
                          'blobs'::regclass)
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
