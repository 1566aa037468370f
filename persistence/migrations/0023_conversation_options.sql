-- What messages have asked for their conversation: a JSON object, in the form that the chat process wrote. Empty: nothing.
ALTER TABLE conversations ADD COLUMN options text NOT NULL DEFAULT '';
