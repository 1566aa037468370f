-- Conversations of the chat engine. The chat processes alone write here; gateways read.

CREATE TABLE conversations (
  id            uuid        PRIMARY KEY,
  tenant_id     text        NOT NULL DEFAULT 'default',
  session_key   uuid        NOT NULL,
  number        integer     NOT NULL CHECK (number >= 1),  -- of the session's; the newest is the current one
  created_at    timestamptz NOT NULL DEFAULT now(),
  head          bigint      NOT NULL DEFAULT 0,            -- number of the last message; 0: none
  -- Who may write: an attempt of a turn, until then. A turn that has ended has no lease.
  lease_turn    uuid,
  lease_attempt integer,
  lease_until   timestamptz,
  stop_asked    boolean     NOT NULL DEFAULT false,        -- of the turn that has the lease, by one that comes after it
  on_behalf     text        NOT NULL DEFAULT '',           -- of the last turn that a user began; sealed by a gateway
  auto_turns    integer     NOT NULL DEFAULT 0,            -- since then: turns that completions began
  wakes         boolean     NOT NULL DEFAULT false,        -- whether completions begin turns
  UNIQUE (session_key, number)
);

-- Turns that wait for their conversation, in the order in which they were accepted.
CREATE TABLE conversation_waiters (
  session_key uuid        NOT NULL,
  turn        uuid        NOT NULL,
  tenant_id   text        NOT NULL DEFAULT 'default',
  until       timestamptz NOT NULL,
  PRIMARY KEY (session_key, turn)
);

-- Only ever added to. The primary key keeps a second writer out.
CREATE TABLE messages (
  conversation uuid        NOT NULL,
  number       bigint      NOT NULL CHECK (number >= 1),
  tenant_id    text        NOT NULL DEFAULT 'default',
  turn         uuid        NOT NULL,
  role         text        NOT NULL,
  body         text        NOT NULL,  -- JSON in Toolway's own form, byte for byte
  at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (conversation, number)
);
ALTER TABLE messages ALTER COLUMN body SET COMPRESSION pglz;

-- Calls that outlived their turn's wait, and the message that told the model how they ended.
CREATE TABLE conversation_calls (
  conversation uuid   NOT NULL,
  call_id      uuid   NOT NULL,
  tenant_id    text   NOT NULL DEFAULT 'default',
  told_in      bigint,              -- number of that message; NULL: it is not told yet
  PRIMARY KEY (conversation, call_id)
);
CREATE INDEX conversation_calls_untold ON conversation_calls (call_id) WHERE told_in IS NULL;
