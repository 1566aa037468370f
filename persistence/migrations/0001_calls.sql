-- What the two streams say, insert-only: one row per request, per event and
-- per completion. Nothing is updated when a call moves on (its state follows
-- from which rows exist), so messages may arrive in any order, and twice.
--
-- The keys are UUIDv7, so ranges of call_id are ranges of time.

CREATE TABLE calls (
  call_id      uuid        NOT NULL,
  tenant_id    text        NOT NULL DEFAULT 'default',
  user_id      text        NOT NULL,
  session_key  uuid        NOT NULL,
  session_id   text        NOT NULL,
  namespace    text        NOT NULL,
  tool         text        NOT NULL,
  tool_call_id text        NOT NULL DEFAULT '',
  topic        text        NOT NULL DEFAULT '',
  multi_step   boolean     NOT NULL,
  pool         text        NOT NULL,
  submitted_at timestamptz NOT NULL,
  incarnation  bigint      NOT NULL,
  sequence     bigint      NOT NULL,
  -- json keeps the text byte for byte and takes \u0000; jsonb does neither.
  -- NULL: json refuses it, and `request` still holds it.
  arguments    json,
  request      bytea       NOT NULL,  -- the CallRequest, without what `arguments` holds
  PRIMARY KEY (call_id),
  CONSTRAINT calls_position CHECK (incarnation >= 0 AND sequence >= 1),
  CONSTRAINT calls_tool CHECK (tool <> '')
) PARTITION BY RANGE (call_id);
CREATE TABLE calls_default PARTITION OF calls DEFAULT;
CREATE INDEX calls_of_session ON calls (session_key, call_id);

-- Every event but the terminal one, and but Alive (see call_alive).
CREATE TABLE call_events (
  call_id     uuid        NOT NULL,
  tenant_id   text        NOT NULL DEFAULT 'default',
  session_key uuid        NOT NULL,
  incarnation bigint      NOT NULL,
  sequence    bigint      NOT NULL,
  type        text        NOT NULL,
  attempt     integer     NOT NULL,
  seq         integer     NOT NULL,
  time        timestamptz NOT NULL,
  event       bytea       NOT NULL,  -- the CallEvent
  PRIMARY KEY (call_id, incarnation, sequence),
  CONSTRAINT call_events_position CHECK (incarnation >= 0 AND sequence >= 1),
  CONSTRAINT call_events_type CHECK (type IN ('started', 'progress', 'log', 'cancel_requested')),
  -- A cancellation may come before any attempt; nothing else may.
  CONSTRAINT call_events_attempt CHECK (attempt >= 1 OR (attempt = 0 AND type = 'cancel_requested')),
  CONSTRAINT call_events_seq CHECK (seq >= 1)
) PARTITION BY RANGE (call_id);
CREATE TABLE call_events_default PARTITION OF call_events DEFAULT;
CREATE INDEX call_events_of_session ON call_events (session_key, incarnation, sequence);

CREATE SEQUENCE completion_number CACHE 64;

-- The one terminal event of a call, and at the same time the mailbox: (xid,
-- number) is a cursor that never skips a late commit when it is read only
-- below the oldest running transaction.
CREATE TABLE completions (
  call_id       uuid        NOT NULL,
  tenant_id     text        NOT NULL DEFAULT 'default',
  session_key   uuid        NOT NULL,
  incarnation   bigint      NOT NULL,
  sequence      bigint      NOT NULL,
  xid           xid8        NOT NULL DEFAULT pg_current_xact_id(),
  number        bigint      NOT NULL DEFAULT nextval('completion_number'),
  outcome       text        NOT NULL,
  attempt       integer     NOT NULL,
  seq           integer     NOT NULL,
  started_at    timestamptz,           -- of the attempt that ended; NULL when none started
  completed_at  timestamptz NOT NULL,
  error_code    text,
  error_message text,
  -- NULL: there is none, or json refuses it and `event` still holds it.
  result        json,
  event         bytea       NOT NULL,  -- the CallEvent, without what `result` holds
  PRIMARY KEY (call_id),
  CONSTRAINT completions_position CHECK (incarnation >= 0 AND sequence >= 1),
  CONSTRAINT completions_outcome CHECK (outcome IN
    ('succeeded', 'failed', 'rejected', 'cancelled', 'timed_out', 'unknown', 'lost')),
  -- A call may end without ever having started.
  CONSTRAINT completions_attempt CHECK (attempt >= 1 OR (attempt = 0 AND started_at IS NULL)),
  CONSTRAINT completions_seq CHECK (seq >= 1),
  CONSTRAINT completions_error CHECK (outcome <> 'succeeded' OR error_code IS NULL)
) PARTITION BY RANGE (call_id);
CREATE TABLE completions_default PARTITION OF completions DEFAULT;
CREATE INDEX completions_of_session ON completions (session_key, incarnation, sequence);

-- When a running call was last heard of: its newest Alive.
CREATE TABLE call_alive (
  call_id     uuid        PRIMARY KEY,
  tenant_id   text        NOT NULL DEFAULT 'default',
  attempt     integer     NOT NULL CHECK (attempt >= 1),
  time        timestamptz NOT NULL,
  incarnation bigint      NOT NULL,
  sequence    bigint      NOT NULL
);

-- When a transaction that holds completions was known to be committed, which
-- that transaction cannot know itself.
CREATE TABLE recorded_batches (
  xid          xid8        PRIMARY KEY,
  committed_at timestamptz NOT NULL
);

-- Messages that could not be recorded, as they came, for a person to look at.
CREATE TABLE dead_events (
  tenant_id    text        NOT NULL DEFAULT 'default',
  stream       text        NOT NULL,
  incarnation  bigint      NOT NULL,
  sequence     bigint      NOT NULL,
  subject      text        NOT NULL,
  payload      bytea       NOT NULL,
  reason       text        NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream, incarnation, sequence)
);
