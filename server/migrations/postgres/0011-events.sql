-- How far each endpoint (webhooks and the like) is, and its deliveries of the last days. Operational data: no leaf records
-- it, and losing the newest rows only repeats deliveries.
CREATE TABLE delivery_endpoints (
  endpoint_id TEXT PRIMARY KEY,
  -- Grows with every change from outside the node that sends, which then reads everything again.
  revision BIGINT NOT NULL,
  -- Every event below it was delivered, given up, or has a waiting row.
  next_index BIGINT NOT NULL,
  failing_since_ms BIGINT,
  disabled_at_ms BIGINT,
  disabled_reason SMALLINT,
  -- The node that sends, and until when, by the clock of the database.
  holder TEXT,
  held_until_ms BIGINT NOT NULL
);

CREATE TABLE deliveries (
  endpoint_id TEXT NOT NULL,
  log_index BIGINT NOT NULL,
  lane TEXT NOT NULL,
  state SMALLINT NOT NULL,
  attempts BIGINT NOT NULL,
  first_at_ms BIGINT NOT NULL,
  last_at_ms BIGINT NOT NULL,
  next_at_ms BIGINT NOT NULL,
  status BIGINT,
  error TEXT,
  -- Sealed for the deployment.
  answer BYTEA,
  took_ms BIGINT,
  PRIMARY KEY (endpoint_id, log_index)
);
CREATE INDEX deliveries_waiting ON deliveries (endpoint_id, log_index) WHERE state = 0;
CREATE INDEX deliveries_settled ON deliveries (last_at_ms) WHERE state <> 0;
