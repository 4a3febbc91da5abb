-- The node that writes for all, while it renews this row, and where the others reach it. Only speed depends on it: batches
-- have one order because each advances the head of the log, whoever writes them.
CREATE TABLE clerk_lease (
  single SMALLINT PRIMARY KEY CHECK (single = 1),
  epoch BIGINT NOT NULL,
  holder TEXT NOT NULL,
  host TEXT NOT NULL,
  port BIGINT NOT NULL,
  version TEXT NOT NULL,
  expires_at_ms BIGINT NOT NULL
);
