-- Settlement: records that settled above what was asked, evidence behind a reputation.
-- Sums are bounded from this version on. A sum beyond the integers that a number holds exactly becomes the largest of them.
UPDATE token_states SET spent_micro_usd = 9007199254740991 WHERE spent_micro_usd > 9007199254740991;
UPDATE token_states SET reserved_micro_usd = 9007199254740991 WHERE reserved_micro_usd > 9007199254740991;

-- An action that cost more than it was authorized for. Before this version that was not compared.
ALTER TABLE records ADD COLUMN exceeded SMALLINT NOT NULL DEFAULT 0;
-- The part of an agent's outcomes that a resource server observed, counted from the records that exist.
ALTER TABLE agents ADD COLUMN observed_actions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN observed_halves BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN observed_actions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agent_days ADD COLUMN observed_halves BIGINT NOT NULL DEFAULT 0;
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
ALTER TABLE token_states ADD COLUMN periods text;

-- Approvals: habits bound to amount, chain and shape; several approvers; time-boxed grants.
ALTER TABLE approvals
  ADD COLUMN root_key BIGINT,
  ADD COLUMN human_key BIGINT,
  ADD COLUMN shape TEXT,
  ADD COLUMN approvers TEXT,
  ADD COLUMN endorsements TEXT,
  ADD COLUMN granted TEXT,
  ADD COLUMN grant_id TEXT;
UPDATE approvals SET root_key = t.root_key, human_key = t.human_key
FROM tokens t WHERE t.token_key = approvals.token_key;
ALTER TABLE approvals ALTER COLUMN root_key SET NOT NULL, ALTER COLUMN human_key SET NOT NULL;
DROP INDEX approvals_open_by_token;
CREATE INDEX approvals_open_by_root ON approvals (root_key, expires_at_ms) WHERE state = 0;
CREATE INDEX approvals_open_by_human ON approvals (human_key, expires_at_ms) WHERE state = 0;
CREATE INDEX approvals_denied ON approvals (binding, decided_at_ms) WHERE state = 2;
CREATE INDEX approvals_of_several ON approvals (log_index) WHERE approvers IS NOT NULL;
-- Habits of earlier versions had no amounts, root or shape, so they end here: people are asked again.
DROP TABLE approval_habits;
CREATE TABLE approval_habits (
  agent_key BIGINT NOT NULL,
  human_key BIGINT NOT NULL,
  action_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  root_key BIGINT NOT NULL,
  shape TEXT NOT NULL,
  approvals BIGINT NOT NULL,
  auto_approvals BIGINT NOT NULL,
  unasked BIGINT NOT NULL,
  is_due SMALLINT NOT NULL,
  amounts TEXT NOT NULL,
  last_human_ms BIGINT NOT NULL,
  live_grant TEXT,
  PRIMARY KEY (agent_key, human_key, action_key, resource_key, root_key, shape)
);
CREATE INDEX approval_habits_by_human ON approval_habits (human_key);

-- Agents: owners, keys, ranks of suspensions, people who refuse tokens in their name.
ALTER TABLE token_states ADD COLUMN suspended_rank smallint;
ALTER TABLE token_states ADD COLUMN suspend_code smallint;
ALTER TABLE token_states ADD COLUMN suspend_reason bytea;
ALTER TABLE agents ADD COLUMN suspended_rank smallint;
ALTER TABLE agents ADD COLUMN suspend_reason bytea;
ALTER TABLE agents ADD COLUMN owned_by text;
-- The keys that the tokens of an agent are bound to, by thumbprint.
CREATE TABLE agent_keys (
  agent_key bigint NOT NULL,
  jkt text NOT NULL,
  log_index bigint NOT NULL,
  removed_index bigint,
  PRIMARY KEY (agent_key, jkt)
);
CREATE INDEX agent_keys_by_jkt ON agent_keys (jkt);
ALTER TABLE humans ADD COLUMN refused_at_ms bigint;

-- Sessions: sealed ephemeral data, the access mode of the store.

-- Earlier versions did not seal values, so those entries end: people sign in again. Marks of things that were seen once
-- count by their key.
DELETE FROM ephemeral WHERE kind NOT IN ('proof', 'id_token');

-- Keys and log: withdrawn signing keys.

-- Stopping and time.
