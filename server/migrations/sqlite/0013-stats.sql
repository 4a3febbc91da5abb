-- Counters of what agents did, written with the batch that they count. `series` says what a row counts and for how long
-- (SERIES in server/src/domain/stats.ts): `owner_key` is the key of a tenant's name or of an agent, `bucket` the number of
-- the minute, hour or day since 1970, `name_key` that of an action or of a reason, 0 for none.
CREATE TABLE counters (
  series INTEGER NOT NULL,
  owner_key INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  name_key INTEGER NOT NULL,
  resource_key INTEGER NOT NULL,
  allowed INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  succeeded INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  expired INTEGER NOT NULL,
  denied INTEGER NOT NULL,
  asked INTEGER NOT NULL,
  auto_approved INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  decide_ms INTEGER NOT NULL,
  spend_micro_usd INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  deepest INTEGER NOT NULL,
  budget_percent INTEGER NOT NULL,
  -- The leaf of the first action that the agent was allowed in this hour.
  first_index INTEGER,
  PRIMARY KEY (series, owner_key, bucket, name_key, resource_key)
) STRICT, WITHOUT ROWID;
-- Minutes are read across owners by alerts, and deleted when they are a week old.
CREATE INDEX counters_by_minute ON counters (series, bucket) WHERE series IN (0, 5);
CREATE INDEX counters_by_hour ON counters (bucket) WHERE series = 4;
-- When an agent first did something, and first acted on something.
CREATE INDEX counters_first_name ON counters (owner_key, name_key, first_index) WHERE first_index IS NOT NULL;
CREATE INDEX counters_first_resource ON counters (owner_key, resource_key, first_index) WHERE first_index IS NOT NULL;

-- What happened before, one row for each thing that counts.
CREATE TEMP TABLE uses AS
SELECT t.agent_key AS agent, t.tenant_key AS tenant, r.action_key AS action, r.resource_key AS resource,
  r.created_at_ms AS at_ms, r.log_index AS leaf, 1 AS allowed, 0 AS completed, 0 AS succeeded, 0 AS cancelled, 0 AS expired,
  0 AS denied, 0 AS asked, 0 AS auto_approved, 0 AS approved, 0 AS refused, 0 AS decide_ms, 0 AS spend_micro_usd
FROM records r JOIN tokens t ON t.token_key = r.token_key
UNION ALL
SELECT t.agent_key, t.tenant_key, r.action_key, r.resource_key, r.completed_at_ms, NULL,
  0, r.state = 1, r.state = 1 AND r.result_key = 1, r.state = 2, r.state = 3, 0, 0, 0, 0, 0, 0,
  iif(r.state = 1, r.spend_micro_usd, 0)
FROM records r JOIN tokens t ON t.token_key = r.token_key WHERE r.state > 0
UNION ALL
SELECT t.agent_key, t.tenant_key, d.action_key, d.resource_key, d.created_at_ms, NULL,
  0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0
FROM denials d JOIN tokens t ON t.token_key = d.token_key
UNION ALL
SELECT t.agent_key, t.tenant_key, a.action_key, a.resource_key, a.created_at_ms, NULL,
  0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0
FROM approvals a JOIN tokens t ON t.token_key = a.token_key
UNION ALL
SELECT t.agent_key, t.tenant_key, a.action_key, a.resource_key, a.decided_at_ms, NULL,
  0, 0, 0, 0, 0, 0, 0, a.decided_by IN ('habit', 'grant'),
  a.state = 1 AND a.decided_by NOT IN ('habit', 'grant'), a.state = 2,
  iif(a.decided_by IN ('habit', 'grant'), 0, a.decided_at_ms - a.created_at_ms), 0
FROM approvals a JOIN tokens t ON t.token_key = a.token_key WHERE a.decided_at_ms IS NOT NULL;

CREATE TEMP TABLE placed AS
SELECT 0 AS series, tenant AS owner_key, at_ms / 60000 AS bucket, 0 AS name_key, 0 AS resource_key, NULL AS first, u.*
FROM uses u
UNION ALL SELECT 1, tenant, at_ms / 3600000, 0, 0, NULL, u.* FROM uses u
UNION ALL SELECT 2, tenant, at_ms / 86400000, action, resource, NULL, u.* FROM uses u
UNION ALL SELECT 3, agent, at_ms / 86400000, 0, 0, NULL, u.* FROM uses u
UNION ALL SELECT 4, agent, at_ms / 3600000, action, resource, leaf, u.* FROM uses u;

INSERT INTO counters
SELECT series, owner_key, bucket, name_key, resource_key, sum(allowed), sum(completed), sum(succeeded), sum(cancelled),
  sum(expired), sum(denied), sum(asked), sum(auto_approved), sum(approved), sum(refused), sum(decide_ms),
  iif(total(spend_micro_usd) > 9007199254740991, 9007199254740991, sum(spend_micro_usd)), 0, 0, 0, min(first)
FROM placed GROUP BY 1, 2, 3, 4, 5;
DROP TABLE placed;
DROP TABLE uses;

-- Denials by reason.
INSERT INTO names (name)
SELECT DISTINCT reason.value FROM denials, json_each(denials.reasons) reason
WHERE reason.value NOT IN (SELECT name FROM names) ORDER BY 1;
INSERT INTO counters
SELECT series, owner_key, hour, name_key, 0, 0, 0, 0, 0, 0, count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL
FROM (
  SELECT 6 AS series, t.tenant_key AS owner_key, d.created_at_ms / 3600000 AS hour, n.name_key
  FROM denials d JOIN tokens t ON t.token_key = d.token_key, json_each(d.reasons) r JOIN names n ON n.name = r.value
  UNION ALL
  SELECT 7, t.agent_key, d.created_at_ms / 3600000, n.name_key
  FROM denials d JOIN tokens t ON t.token_key = d.token_key, json_each(d.reasons) r JOIN names n ON n.name = r.value
)
GROUP BY 1, 2, 3, 4;

-- What rules about agents watch.
INSERT INTO counters
SELECT 5, agent_key, minute, 0, 0, 0, 0, 0, 0, 0, sum(denied), 0, 0, 0, 0, 0, 0, sum(rejected), max(deepest),
  max(budget_percent), NULL
FROM (
  SELECT t.agent_key, d.created_at_ms / 60000 AS minute, 1 AS denied, 0 AS rejected, 0 AS deepest, 0 AS budget_percent
  FROM denials d JOIN tokens t ON t.token_key = d.token_key
  UNION ALL
  SELECT t.agent_key, g.feedback_at_ms / 60000, 0, 1, 0, 0
  FROM ratings g JOIN records r ON r.log_index = g.record_index JOIN tokens t ON t.token_key = r.token_key
  WHERE g.rating = 2
  UNION ALL
  SELECT agent_key, issued_at_ms / 60000, 0, 0, claims ->> '$.svc_delegation_depth', 0
  FROM tokens WHERE claims ->> '$.svc_delegation_depth' > 0
  UNION ALL
  SELECT a.agent_key, unixepoch(l.leaf ->> '$.at') / 60, 0, 0, 0, l.leaf ->> '$.percent'
  FROM workflow_leaves w JOIN leaves l ON l.log_index = w.log_index
  JOIN agents a ON 'agent:' || a.agent_id = l.leaf ->> '$.agent_id'
  WHERE l.leaf ->> '$.type' = 'budget.threshold'
)
GROUP BY 2, 3;
DELETE FROM counters WHERE series IN (0, 5)
  AND bucket < (SELECT max(bucket) FROM counters WHERE series IN (0, 5)) - 10080;

-- Until when an alert has every action of an agent approved by a person.
ALTER TABLE agents ADD COLUMN asks_until_ms INTEGER;
