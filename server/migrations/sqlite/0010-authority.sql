-- Settlement: records that settled above what was asked, evidence behind a reputation.
-- Sums are bounded from this version on. A sum beyond the integers that a number holds exactly becomes the largest of them.
UPDATE token_states SET spent_micro_usd = 9007199254740991 WHERE spent_micro_usd > 9007199254740991;
UPDATE token_states SET reserved_micro_usd = 9007199254740991 WHERE reserved_micro_usd > 9007199254740991;

-- An action that cost more than it was authorized for. Before this version that was not compared.
ALTER TABLE records ADD COLUMN exceeded INTEGER NOT NULL DEFAULT 0;
-- The part of an agent's outcomes that a resource server observed, counted from the records that exist.
ALTER TABLE agents ADD COLUMN observed_actions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN observed_halves INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN observed_actions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN observed_halves INTEGER NOT NULL DEFAULT 0;
UPDATE agent_days SET observed_actions = o.actions, observed_halves = o.halves
FROM (
  SELECT t.agent_key, r.completed_at_ms / 86400000 AS day, count(*) AS actions,
    sum(CASE n.name WHEN 'success' THEN 2 WHEN 'partial' THEN 1 ELSE 0 END) AS halves
  FROM records r JOIN tokens t ON t.token_key = r.token_key JOIN names n ON n.name_key = r.result_key
  WHERE r.state = 1 AND r.evidence > 0 AND n.name <> 'cancelled'
  GROUP BY t.agent_key, r.completed_at_ms / 86400000
) o
WHERE o.agent_key = agent_days.agent_key AND o.day = agent_days.day;
UPDATE agents SET observed_actions = o.actions, observed_halves = o.halves
FROM (
  SELECT agent_key, sum(observed_actions) AS actions, sum(observed_halves) AS halves FROM agent_days GROUP BY agent_key
) o
WHERE o.agent_key = agents.agent_key AND o.actions > 0;

-- Limits: spend per period.
ALTER TABLE token_states ADD COLUMN periods TEXT;

-- Approvals: habits bound to amount, chain and shape; several approvers; time-boxed grants.
ALTER TABLE approvals ADD COLUMN root_key INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN human_key INTEGER NOT NULL DEFAULT 0;
ALTER TABLE approvals ADD COLUMN shape TEXT;
ALTER TABLE approvals ADD COLUMN approvers TEXT;
ALTER TABLE approvals ADD COLUMN endorsements TEXT;
ALTER TABLE approvals ADD COLUMN granted TEXT;
ALTER TABLE approvals ADD COLUMN grant_id TEXT;
UPDATE approvals SET (root_key, human_key) =
  (SELECT t.root_key, t.human_key FROM tokens t WHERE t.token_key = approvals.token_key);
DROP INDEX approvals_open_by_token;
CREATE INDEX approvals_open_by_root ON approvals (root_key, expires_at_ms) WHERE state = 0;
CREATE INDEX approvals_open_by_human ON approvals (human_key, expires_at_ms) WHERE state = 0;
CREATE INDEX approvals_denied ON approvals (binding, decided_at_ms) WHERE state = 2;
CREATE INDEX approvals_of_several ON approvals (log_index) WHERE approvers IS NOT NULL;
-- Habits of earlier versions had no amounts, root or shape, so they end here: people are asked again.
DROP TABLE approval_habits;
CREATE TABLE approval_habits (
  agent_key INTEGER NOT NULL,
  human_key INTEGER NOT NULL,
  action_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  root_key INTEGER NOT NULL,
  shape TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  auto_approvals INTEGER NOT NULL,
  unasked INTEGER NOT NULL,
  is_due INTEGER NOT NULL,
  amounts TEXT NOT NULL,
  last_human_ms INTEGER NOT NULL,
  live_grant TEXT,
  PRIMARY KEY (agent_key, human_key, action_key, resource_key, root_key, shape)
) STRICT, WITHOUT ROWID;

-- Agents: owners, keys, ranks of suspensions, people who refuse tokens in their name.
ALTER TABLE token_states ADD COLUMN suspended_rank INTEGER;
ALTER TABLE token_states ADD COLUMN suspend_code INTEGER;
ALTER TABLE token_states ADD COLUMN suspend_reason BLOB;
ALTER TABLE agents ADD COLUMN suspended_rank INTEGER;
ALTER TABLE agents ADD COLUMN suspend_reason BLOB;
ALTER TABLE agents ADD COLUMN owned_by TEXT;
-- The keys that the tokens of an agent are bound to, by thumbprint.
CREATE TABLE agent_keys (
  agent_key INTEGER NOT NULL,
  jkt TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  removed_index INTEGER,
  PRIMARY KEY (agent_key, jkt)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_keys_by_jkt ON agent_keys (jkt);
ALTER TABLE humans ADD COLUMN refused_at_ms INTEGER;

-- Sessions: sealed ephemeral data, the access mode of the store. Both need no change here: ephemeral data has a file of its own.

-- Keys and log: withdrawn signing keys.

-- Stopping and time.
