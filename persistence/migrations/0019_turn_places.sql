-- Where a turn's message is in stream CALLS: turns have their conversation in that order. Those of older chat processes, which do not say
-- it, come last, in the order of their ids.
ALTER TABLE conversation_waiters ADD COLUMN place bigint NOT NULL DEFAULT 9223372036854775807;
-- The turn that released the conversation last: its message may still be in the stream.
ALTER TABLE conversations ADD COLUMN last_turn uuid;
-- The place of the turn that began last: those before it have begun, too, or are not waited for.
ALTER TABLE conversations ADD COLUMN begun_place bigint NOT NULL DEFAULT 0;
-- The id of the newest event of the call that the model was told of.
ALTER TABLE conversation_calls ADD COLUMN progress text NOT NULL DEFAULT '';
