-- Delegation, suspension, marks on agents and people, approvals.

-- `path` is the keys of all ancestors and the token's own, eight bytes each: everything below a token is one range.
DROP TRIGGER tokens_never_change;
ALTER TABLE tokens ADD COLUMN path BLOB NOT NULL DEFAULT x'';
ALTER TABLE tokens ADD COLUMN expires_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN status_index INTEGER;
UPDATE tokens SET path = unhex(printf('%016x', token_key)), expires_at_ms = (claims ->> 'exp') * 1000;
CREATE UNIQUE INDEX tokens_by_path ON tokens (path, expires_at_ms);
CREATE INDEX tokens_by_parent ON tokens (parent_key) WHERE parent_key IS NOT NULL;
CREATE UNIQUE INDEX tokens_by_status_index ON tokens (status_index);
CREATE TRIGGER tokens_never_change BEFORE UPDATE ON tokens
BEGIN SELECT RAISE(ABORT, 'a token never changes'); END;

ALTER TABLE token_states ADD COLUMN suspended_at_ms INTEGER;
ALTER TABLE token_states ADD COLUMN minute INTEGER NOT NULL DEFAULT 0;
ALTER TABLE token_states ADD COLUMN minute_actions INTEGER NOT NULL DEFAULT 0;
CREATE INDEX token_states_silenced ON token_states (token_key)
WHERE revoked_at_ms IS NOT NULL OR suspended_at_ms IS NOT NULL;

-- Tokens whose leaf stands below `revoked_below` are revoked, however many there are.
ALTER TABLE agents ADD COLUMN suspended_at_ms INTEGER;
ALTER TABLE agents ADD COLUMN revoked_below INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN profile TEXT;
ALTER TABLE humans ADD COLUMN revoked_below INTEGER NOT NULL DEFAULT 0;

CREATE TABLE approvals (
  log_index INTEGER PRIMARY KEY,
  approval_id TEXT NOT NULL UNIQUE,
  token_key INTEGER NOT NULL,
  action_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  spend_micro_usd INTEGER NOT NULL,
  metadata TEXT,
  -- Digest of everything that was asked: an approval is good for exactly that.
  binding TEXT NOT NULL,
  state INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  decided_at_ms INTEGER,
  decided_by TEXT,
  decided_index INTEGER,
  note TEXT,
  used_by TEXT
) STRICT;
CREATE INDEX approvals_by_token ON approvals (token_key);
CREATE UNIQUE INDEX approvals_open ON approvals (binding) WHERE state = 0;
CREATE INDEX approvals_open_by_token ON approvals (token_key) WHERE state = 0;
CREATE INDEX approvals_by_state ON approvals (state);

-- How often people approved the same thing without a denial, so that a habit can be followed, seen and ended.
CREATE TABLE approval_habits (
  agent_key INTEGER NOT NULL,
  human_key INTEGER NOT NULL,
  action_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  approvals INTEGER NOT NULL,
  auto_approvals INTEGER NOT NULL,
  last_human_ms INTEGER NOT NULL,
  PRIMARY KEY (agent_key, human_key, action_key, resource_key)
) STRICT, WITHOUT ROWID;

-- What an agent did on each day, for its history.
CREATE TABLE agent_days (
  agent_key INTEGER NOT NULL,
  day INTEGER NOT NULL,
  total_actions INTEGER NOT NULL DEFAULT 0,
  completed_actions INTEGER NOT NULL DEFAULT 0,
  scored_actions INTEGER NOT NULL DEFAULT 0,
  outcome_halves INTEGER NOT NULL DEFAULT 0,
  approved INTEGER NOT NULL DEFAULT 0,
  flagged INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_key, day)
) STRICT, WITHOUT ROWID;
