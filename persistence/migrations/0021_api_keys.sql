-- What bucket api_keys holds of each key, for operators and their reports. Gateways believe the bucket, and never this table.
CREATE TABLE api_keys (
  key_id      text        PRIMARY KEY,
  tenant_id   text        NOT NULL,
  user_id     text        NOT NULL,
  sha256      bytea       NOT NULL,     -- of the whole key, which no one has but its owner
  roles       text[]      NOT NULL,
  namespaces  text[]      NOT NULL,     -- globs that the key is limited to; none: not limited
  note        text        NOT NULL,
  created_at  timestamptz,
  created_by  text        NOT NULL,
  expires_at  timestamptz,              -- NULL: never
  revoked_at  timestamptz,              -- NULL: it is not revoked
  revoked_by  text        NOT NULL,
  used_at     timestamptz,              -- last use, to the hour; NULL: never
  incarnation bigint      NOT NULL,
  revision    bigint      NOT NULL
);
CREATE INDEX api_keys_of_user ON api_keys (tenant_id, user_id);
