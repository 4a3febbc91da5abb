-- Text ids outside, small integer keys inside. Times are milliseconds, money is micro-dollars.
-- log_index is the key of everything that a leaf created, so the order of keys is the order of time.

CREATE TABLE deployment (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Actions, resources and results, each text once.
CREATE TABLE names (
  name_key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
-- The most common outcome has a fixed key, so that an index can leave it out.
INSERT INTO names (name_key, name) VALUES (1, 'success');

CREATE TABLE humans (
  human_key INTEGER PRIMARY KEY,
  human_ref TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE agents (
  agent_key INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  first_seen_ms INTEGER NOT NULL,
  last_action_ms INTEGER,
  total_actions INTEGER NOT NULL DEFAULT 0,
  completed_actions INTEGER NOT NULL DEFAULT 0,
  scored_actions INTEGER NOT NULL DEFAULT 0,
  outcome_halves INTEGER NOT NULL DEFAULT 0,
  approved INTEGER NOT NULL DEFAULT 0,
  flagged INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE workflows (
  workflow_key INTEGER PRIMARY KEY,
  provenance_ref TEXT NOT NULL UNIQUE
) STRICT;

-- Everything that is counted in a workflow, side by side, so that one record changes one page and a summary reads one.
-- kind 0: records; 1: distinct agents; 2: records of an agent; 3: of an action; 4: of a result. subject is the key of
-- the agent, action or result, and 0 for the two totals.
CREATE TABLE workflow_tallies (
  workflow_key INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  subject INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (workflow_key, kind, subject)
) STRICT, WITHOUT ROWID;

-- What is fixed when a token is issued, apart from what changes while it is used.
CREATE TABLE tokens (
  token_key INTEGER PRIMARY KEY,
  jti TEXT NOT NULL UNIQUE,
  parent_key INTEGER,
  root_key INTEGER NOT NULL,
  agent_key INTEGER NOT NULL,
  workflow_key INTEGER NOT NULL,
  human_key INTEGER NOT NULL,
  level INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  issued_at_ms INTEGER NOT NULL,
  jwt_hash TEXT NOT NULL,
  claims TEXT NOT NULL,
  purpose TEXT
) STRICT;
CREATE INDEX tokens_by_agent ON tokens (agent_key);
CREATE INDEX tokens_by_workflow ON tokens (workflow_key);
CREATE INDEX tokens_by_human ON tokens (human_key);
CREATE INDEX tokens_by_level ON tokens (level) WHERE level > 1;

CREATE TABLE token_states (
  token_key INTEGER PRIMARY KEY,
  revoked_at_ms INTEGER,
  revoke_reason TEXT,
  spent_micro_usd INTEGER NOT NULL DEFAULT 0 CHECK (spent_micro_usd >= 0),
  reserved_micro_usd INTEGER NOT NULL DEFAULT 0 CHECK (reserved_micro_usd >= 0),
  actions INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER tokens_never_change BEFORE UPDATE ON tokens
BEGIN SELECT RAISE(ABORT, 'a token never changes'); END;
CREATE TRIGGER revocation_never_ends BEFORE UPDATE ON token_states
WHEN OLD.revoked_at_ms IS NOT NULL AND NEW.revoked_at_ms IS NOT OLD.revoked_at_ms
BEGIN SELECT RAISE(ABORT, 'a revoked token stays revoked'); END;

-- A record names its token; agent, human, workflow, level and depth are the token's.
CREATE TABLE records (
  log_index INTEGER PRIMARY KEY,
  aar_id TEXT NOT NULL UNIQUE,
  token_key INTEGER NOT NULL,
  action_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  state INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  result_key INTEGER,
  result_hash TEXT,
  spend_micro_usd INTEGER NOT NULL,
  parent_index INTEGER,
  expires_at_ms INTEGER,
  completed_at_ms INTEGER,
  completed_index INTEGER,
  completed_after_revocation INTEGER NOT NULL,
  over_budget INTEGER NOT NULL,
  completion_digest TEXT,
  trace_id TEXT,
  metadata TEXT
) STRICT;
CREATE INDEX records_by_token ON records (token_key);
CREATE INDEX records_by_action ON records (action_key);
CREATE INDEX records_by_resource ON records (resource_key);
CREATE INDEX records_by_result ON records (result_key) WHERE result_key <> 1;
CREATE INDEX records_by_parent ON records (parent_index) WHERE parent_index IS NOT NULL;
CREATE INDEX records_pending ON records (expires_at_ms) WHERE state = 0;
CREATE INDEX records_given_up ON records (state) WHERE state > 1;

CREATE TRIGGER closed_records_never_change BEFORE UPDATE ON records WHEN OLD.state <> 0
BEGIN SELECT RAISE(ABORT, 'a closed record never changes'); END;
CREATE TRIGGER records_never_go BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'a record is kept for ever'); END;

CREATE TABLE ratings (
  record_index INTEGER PRIMARY KEY,
  rating INTEGER NOT NULL,
  feedback_at_ms INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  rater_assurance TEXT NOT NULL,
  note TEXT
) STRICT;
CREATE INDEX ratings_by_rating ON ratings (rating);

CREATE TRIGGER ratings_never_change BEFORE UPDATE ON ratings
BEGIN SELECT RAISE(ABORT, 'a rating never changes'); END;
CREATE TRIGGER ratings_never_go BEFORE DELETE ON ratings
BEGIN SELECT RAISE(ABORT, 'a rating is kept for ever'); END;

CREATE TABLE denials (
  log_index INTEGER PRIMARY KEY,
  denial_id TEXT NOT NULL UNIQUE,
  token_key INTEGER NOT NULL,
  action_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  spend_micro_usd INTEGER NOT NULL,
  reasons TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  trace_id TEXT
) STRICT;
CREATE INDEX denials_by_token ON denials (token_key);

-- The log: canonical JSON and its RFC 6962 leaf hash, at contiguous indexes from 0.
CREATE TABLE leaves (
  log_index INTEGER PRIMARY KEY,
  leaf_hash BLOB NOT NULL,
  leaf TEXT NOT NULL
) STRICT;

CREATE TRIGGER leaves_never_change BEFORE UPDATE ON leaves
BEGIN SELECT RAISE(ABORT, 'a leaf never changes'); END;
CREATE TRIGGER leaves_never_go BEFORE DELETE ON leaves
BEGIN SELECT RAISE(ABORT, 'a leaf is kept for ever'); END;

-- One row: how far the log goes, its Merkle frontier, and the time of its last leaf.
CREATE TABLE log_head (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  frontier BLOB NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE replays (
  replay_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  outcome TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX replays_by_expiry ON replays (expires_at_ms);
