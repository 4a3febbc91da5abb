-- The tables of the embedded store, with the same names and meanings: text ids outside, small integer keys inside, times
-- in milliseconds, money in micro-dollars. log_index is the key of everything that a leaf created.

CREATE TABLE deployment (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- One row that every batch advances: whoever holds it writes, and whoever finds `batch` unchanged knows that nobody wrote
-- in between. The last keys are here because sequences leave gaps and need questions of their own.
CREATE TABLE log_head (
  single SMALLINT PRIMARY KEY CHECK (single = 1),
  frontier BYTEA NOT NULL,
  last_ms BIGINT NOT NULL,
  batch BIGINT NOT NULL,
  last_token_key BIGINT NOT NULL,
  last_agent_key BIGINT NOT NULL,
  last_human_key BIGINT NOT NULL,
  last_workflow_key BIGINT NOT NULL,
  last_name_key BIGINT NOT NULL,
  last_data_key BIGINT NOT NULL
) WITH (fillfactor = 10); -- a new version of the row finds room in the same page
INSERT INTO log_head VALUES (1, '\x0000000000000000', 0, 0, 0, 0, 0, 0, 1, 0);

-- The last batch of each process that writes, so that one whose connection was cut can learn what became of its commit.
CREATE TABLE writers (
  writer_id TEXT PRIMARY KEY,
  last_batch BIGINT NOT NULL,
  seen_ms BIGINT NOT NULL
) WITH (fillfactor = 20);

-- Places in the status list, handed out in blocks.
CREATE TABLE status_places (
  single SMALLINT PRIMARY KEY CHECK (single = 1),
  next BIGINT NOT NULL
);
INSERT INTO status_places VALUES (1, 0);

CREATE TABLE names (
  name_key BIGINT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
INSERT INTO names VALUES (1, 'success');

CREATE TABLE humans (
  human_key BIGINT PRIMARY KEY,
  human_ref TEXT NOT NULL UNIQUE,
  revoked_below BIGINT NOT NULL DEFAULT 0,
  data_key BIGINT,
  erased_at_ms BIGINT
);
CREATE INDEX humans_silenced ON humans (human_key) WHERE revoked_below > 0;

CREATE TABLE data_keys (
  data_key BIGINT PRIMARY KEY,
  human_key BIGINT NOT NULL,
  wrapped BYTEA NOT NULL
);

CREATE TABLE agents (
  agent_key BIGINT PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  first_seen_ms BIGINT NOT NULL,
  last_action_ms BIGINT,
  total_actions BIGINT NOT NULL DEFAULT 0,
  completed_actions BIGINT NOT NULL DEFAULT 0,
  scored_actions BIGINT NOT NULL DEFAULT 0,
  outcome_halves BIGINT NOT NULL DEFAULT 0,
  approved BIGINT NOT NULL DEFAULT 0,
  flagged BIGINT NOT NULL DEFAULT 0,
  rejected BIGINT NOT NULL DEFAULT 0,
  suspended_at_ms BIGINT,
  revoked_below BIGINT NOT NULL DEFAULT 0,
  profile TEXT
) WITH (fillfactor = 70);
CREATE INDEX agents_silenced ON agents (agent_key) WHERE revoked_below > 0 OR suspended_at_ms IS NOT NULL;

CREATE TABLE agent_days (
  agent_key BIGINT NOT NULL,
  day BIGINT NOT NULL,
  total_actions BIGINT NOT NULL DEFAULT 0,
  completed_actions BIGINT NOT NULL DEFAULT 0,
  scored_actions BIGINT NOT NULL DEFAULT 0,
  outcome_halves BIGINT NOT NULL DEFAULT 0,
  approved BIGINT NOT NULL DEFAULT 0,
  flagged BIGINT NOT NULL DEFAULT 0,
  rejected BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_key, day)
) WITH (fillfactor = 70);

CREATE TABLE workflows (
  workflow_key BIGINT PRIMARY KEY,
  provenance_ref TEXT NOT NULL UNIQUE
);

-- kind 0: records; 1: distinct agents; 2: records of an agent; 3: of an action; 4: of a result.
CREATE TABLE workflow_tallies (
  workflow_key BIGINT NOT NULL,
  kind SMALLINT NOT NULL,
  subject BIGINT NOT NULL,
  count BIGINT NOT NULL,
  last_ms BIGINT,
  PRIMARY KEY (workflow_key, kind, subject)
) WITH (fillfactor = 70);

CREATE TABLE workflow_leaves (
  workflow_key BIGINT NOT NULL,
  log_index BIGINT NOT NULL,
  PRIMARY KEY (workflow_key, log_index)
);

-- `path` is the keys of all ancestors and the token's own, eight bytes each: everything below a token is one range.
-- `ancestors` says the same as a list, the token itself last, so that a whole chain is one question.
CREATE TABLE tokens (
  token_key BIGINT PRIMARY KEY,
  jti TEXT NOT NULL UNIQUE,
  parent_key BIGINT,
  root_key BIGINT NOT NULL,
  agent_key BIGINT NOT NULL,
  workflow_key BIGINT NOT NULL,
  human_key BIGINT NOT NULL,
  level SMALLINT NOT NULL,
  log_index BIGINT NOT NULL,
  issued_at_ms BIGINT NOT NULL,
  jwt_hash TEXT NOT NULL,
  claims TEXT NOT NULL,
  purpose BYTEA,
  path BYTEA NOT NULL,
  ancestors BIGINT[] NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  status_index BIGINT
);
CREATE INDEX tokens_by_agent ON tokens (agent_key, token_key);
CREATE INDEX tokens_by_workflow ON tokens (workflow_key, token_key);
CREATE INDEX tokens_by_human ON tokens (human_key, token_key);
CREATE INDEX tokens_by_level ON tokens (level, token_key) WHERE level > 1;
CREATE UNIQUE INDEX tokens_by_path ON tokens (path, expires_at_ms);
CREATE INDEX tokens_by_parent ON tokens (parent_key) WHERE parent_key IS NOT NULL;
CREATE UNIQUE INDEX tokens_by_status_index ON tokens (status_index);
CREATE INDEX workflows_by_human ON tokens (human_key, workflow_key) WHERE parent_key IS NULL;
CREATE INDEX workflows_by_agent ON tokens (agent_key, workflow_key);

CREATE TABLE token_states (
  token_key BIGINT PRIMARY KEY,
  revoked_at_ms BIGINT,
  revoke_reason BYTEA,
  suspended_at_ms BIGINT,
  spent_micro_usd BIGINT NOT NULL DEFAULT 0 CHECK (spent_micro_usd >= 0),
  reserved_micro_usd BIGINT NOT NULL DEFAULT 0 CHECK (reserved_micro_usd >= 0),
  actions BIGINT NOT NULL DEFAULT 0,
  minute BIGINT NOT NULL DEFAULT 0,
  minute_actions BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE INDEX token_states_silenced ON token_states (token_key)
WHERE revoked_at_ms IS NOT NULL OR suspended_at_ms IS NOT NULL;

CREATE TABLE records (
  log_index BIGINT PRIMARY KEY,
  aar_id TEXT NOT NULL UNIQUE,
  token_key BIGINT NOT NULL,
  action_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  state SMALLINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  result_key BIGINT,
  result_hash TEXT,
  spend_micro_usd BIGINT NOT NULL,
  parent_index BIGINT,
  expires_at_ms BIGINT,
  completed_at_ms BIGINT,
  completed_index BIGINT,
  completed_after_revocation SMALLINT NOT NULL,
  over_budget SMALLINT NOT NULL,
  completion_digest TEXT,
  trace_id TEXT,
  metadata BYTEA
);
CREATE INDEX records_by_token ON records (token_key, log_index);
CREATE INDEX records_by_action ON records (action_key, log_index);
CREATE INDEX records_by_resource ON records (resource_key, log_index);
CREATE INDEX records_by_result ON records (result_key, log_index) WHERE result_key <> 1;
CREATE INDEX records_by_parent ON records (parent_index, log_index) WHERE parent_index IS NOT NULL;
CREATE INDEX records_pending ON records (expires_at_ms) WHERE state = 0;
CREATE INDEX records_given_up ON records (state, log_index) WHERE state > 1;

CREATE TABLE ratings (
  record_index BIGINT PRIMARY KEY,
  rating SMALLINT NOT NULL,
  feedback_at_ms BIGINT NOT NULL,
  log_index BIGINT NOT NULL,
  rater_assurance TEXT NOT NULL,
  note BYTEA
);
CREATE INDEX ratings_by_rating ON ratings (rating, record_index);

CREATE TABLE denials (
  log_index BIGINT PRIMARY KEY,
  denial_id TEXT NOT NULL UNIQUE,
  token_key BIGINT NOT NULL,
  action_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  spend_micro_usd BIGINT NOT NULL,
  reasons TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  trace_id TEXT
);
CREATE INDEX denials_by_token ON denials (token_key, log_index);

CREATE TABLE approvals (
  log_index BIGINT PRIMARY KEY,
  approval_id TEXT NOT NULL UNIQUE,
  token_key BIGINT NOT NULL,
  action_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  spend_micro_usd BIGINT NOT NULL,
  metadata BYTEA,
  binding TEXT NOT NULL,
  state SMALLINT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT NOT NULL,
  decided_at_ms BIGINT,
  decided_by TEXT,
  decided_index BIGINT,
  note BYTEA,
  used_by TEXT
);
CREATE INDEX approvals_by_token ON approvals (token_key, log_index);
CREATE UNIQUE INDEX approvals_open ON approvals (binding) WHERE state = 0;
CREATE INDEX approvals_open_by_token ON approvals (token_key) WHERE state = 0;
CREATE INDEX approvals_by_state ON approvals (state, log_index);

CREATE TABLE approval_habits (
  agent_key BIGINT NOT NULL,
  human_key BIGINT NOT NULL,
  action_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  approvals BIGINT NOT NULL,
  auto_approvals BIGINT NOT NULL,
  last_human_ms BIGINT NOT NULL,
  PRIMARY KEY (agent_key, human_key, action_key, resource_key)
);
CREATE INDEX approval_habits_by_human ON approval_habits (human_key);

CREATE TABLE leaves (
  log_index BIGINT PRIMARY KEY,
  leaf_hash BYTEA NOT NULL,
  leaf TEXT NOT NULL
);

CREATE TABLE log_nodes (
  level SMALLINT NOT NULL,
  node_index BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  PRIMARY KEY (level, node_index)
);

CREATE TABLE standing_changes (
  log_index BIGINT PRIMARY KEY
);

CREATE TABLE checkpoints (
  size BIGINT PRIMARY KEY,
  root BYTEA NOT NULL,
  signed_at_ms BIGINT NOT NULL,
  note TEXT NOT NULL
);

CREATE TABLE replays (
  replay_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  outcome BYTEA NOT NULL,
  expires_at_ms BIGINT NOT NULL
);
CREATE INDEX replays_by_expiry ON replays (expires_at_ms);

-- What is final, the database itself keeps final.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER tokens_never_change BEFORE UPDATE ON tokens
FOR EACH ROW EXECUTE FUNCTION refuse_change('a token never changes');
CREATE TRIGGER revocation_never_ends BEFORE UPDATE ON token_states FOR EACH ROW
WHEN (OLD.revoked_at_ms IS NOT NULL AND NEW.revoked_at_ms IS DISTINCT FROM OLD.revoked_at_ms)
EXECUTE FUNCTION refuse_change('a revoked token stays revoked');
CREATE TRIGGER closed_records_never_change BEFORE UPDATE ON records FOR EACH ROW WHEN (OLD.state <> 0)
EXECUTE FUNCTION refuse_change('a closed record never changes');
CREATE TRIGGER records_never_go BEFORE DELETE ON records
FOR EACH ROW EXECUTE FUNCTION refuse_change('a record is kept for ever');
CREATE TRIGGER ratings_never_change BEFORE UPDATE OR DELETE ON ratings
FOR EACH ROW EXECUTE FUNCTION refuse_change('a rating never changes');
CREATE TRIGGER leaves_never_change BEFORE UPDATE OR DELETE ON leaves
FOR EACH ROW EXECUTE FUNCTION refuse_change('a leaf never changes');
CREATE TRIGGER log_nodes_never_change BEFORE UPDATE OR DELETE ON log_nodes
FOR EACH ROW EXECUTE FUNCTION refuse_change('a node of the log never changes');
CREATE TRIGGER checkpoints_never_change BEFORE UPDATE ON checkpoints FOR EACH ROW
WHEN (NEW.size <> OLD.size OR NEW.root <> OLD.root OR NEW.signed_at_ms <> OLD.signed_at_ms)
EXECUTE FUNCTION refuse_change('a checkpoint never changes');
CREATE TRIGGER checkpoints_never_go BEFORE DELETE ON checkpoints
FOR EACH ROW EXECUTE FUNCTION refuse_change('a checkpoint is kept for ever');
