-- Stop earlier nodes first: they would not count what agents do.
-- Counters of what agents did, written with the batch that they count. `series` says what a row counts and for how long
-- (SERIES in server/src/domain/stats.ts): `owner_key` is the key of a tenant's name or of an agent, `bucket` the number of
-- the minute, hour or day since 1970, `name_key` that of an action or of a reason, 0 for none.
CREATE TABLE counters (
  series SMALLINT NOT NULL,
  owner_key BIGINT NOT NULL,
  bucket BIGINT NOT NULL,
  name_key BIGINT NOT NULL,
  resource_key BIGINT NOT NULL,
  allowed BIGINT NOT NULL,
  completed BIGINT NOT NULL,
  succeeded BIGINT NOT NULL,
  cancelled BIGINT NOT NULL,
  expired BIGINT NOT NULL,
  denied BIGINT NOT NULL,
  asked BIGINT NOT NULL,
  auto_approved BIGINT NOT NULL,
  approved BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  decide_ms BIGINT NOT NULL,
  spend_micro_usd BIGINT NOT NULL,
  rejected BIGINT NOT NULL,
  deepest BIGINT NOT NULL,
  budget_percent SMALLINT NOT NULL,
  -- The leaf of the first action that the agent was allowed in this hour.
  first_index BIGINT,
  PRIMARY KEY (series, owner_key, bucket, name_key, resource_key)
) WITH (fillfactor = 70);
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
  0 AS denied, 0 AS asked, 0 AS auto_approved, 0 AS approved, 0 AS refused, 0::bigint AS decide_ms,
  0::bigint AS spend_micro_usd
FROM records r JOIN tokens t ON t.token_key = r.token_key
UNION ALL
SELECT t.agent_key, t.tenant_key, r.action_key, r.resource_key, r.completed_at_ms, NULL,
  0, (r.state = 1)::int, (r.state = 1 AND r.result_key = 1)::int, (r.state = 2)::int, (r.state = 3)::int, 0, 0, 0, 0, 0, 0,
  CASE WHEN r.state = 1 THEN r.spend_micro_usd ELSE 0 END
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
  0, 0, 0, 0, 0, 0, 0, (a.decided_by IN ('habit', 'grant'))::int,
  (a.state = 1 AND a.decided_by NOT IN ('habit', 'grant'))::int, (a.state = 2)::int,
  CASE WHEN a.decided_by IN ('habit', 'grant') THEN 0 ELSE a.decided_at_ms - a.created_at_ms END, 0
FROM approvals a JOIN tokens t ON t.token_key = a.token_key WHERE a.decided_at_ms IS NOT NULL;

INSERT INTO counters
SELECT p.series, p.owner_key, p.bucket, p.name_key, p.resource_key, sum(allowed), sum(completed), sum(succeeded),
  sum(cancelled), sum(expired), sum(denied), sum(asked), sum(auto_approved), sum(approved), sum(refused), sum(decide_ms),
  least(sum(spend_micro_usd), 9007199254740991), 0, 0, 0, min(p.first)
FROM uses CROSS JOIN LATERAL (VALUES
  (0, tenant, at_ms / 60000, 0, 0, NULL),
  (1, tenant, at_ms / 3600000, 0, 0, NULL),
  (2, tenant, at_ms / 86400000, action, resource, NULL),
  (3, agent, at_ms / 86400000, 0, 0, NULL),
  (4, agent, at_ms / 3600000, action, resource, leaf)
) AS p (series, owner_key, bucket, name_key, resource_key, first)
GROUP BY 1, 2, 3, 4, 5;
DROP TABLE uses;

-- Denials by reason.
INSERT INTO names (name_key, name)
SELECT (SELECT last_name_key FROM log_head) + row_number() OVER (ORDER BY reason), reason FROM (
  SELECT DISTINCT json_array_elements_text(reasons::json) AS reason FROM denials
) AS given WHERE reason NOT IN (SELECT name FROM names);
UPDATE log_head SET last_name_key = greatest(last_name_key, (SELECT max(name_key) FROM names));
INSERT INTO counters
SELECT p.series, p.owner_key, d.created_at_ms / 3600000, n.name_key, 0, 0, 0, 0, 0, 0, count(*), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL
FROM denials d JOIN tokens t ON t.token_key = d.token_key
CROSS JOIN LATERAL json_array_elements_text(d.reasons::json) AS r (reason) JOIN names n ON n.name = r.reason
CROSS JOIN LATERAL (VALUES (6, t.tenant_key), (7, t.agent_key)) AS p (series, owner_key)
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
  SELECT agent_key, issued_at_ms / 60000, 0, 0, substring(claims FROM '"svc_delegation_depth":([0-9]+)')::int, 0
  FROM tokens WHERE claims ~ '"svc_delegation_depth":[1-9]'
  UNION ALL
  SELECT a.agent_key, floor(extract(epoch FROM substring(l.leaf FROM '"at":"([^"]+)"')::timestamptz) / 60)::bigint, 0, 0, 0,
    substring(l.leaf FROM '"percent":([0-9]+)')::int
  FROM workflow_leaves w JOIN leaves l ON l.log_index = w.log_index
  JOIN agents a ON 'agent:' || a.agent_id = substring(l.leaf FROM '"agent_id":"([^"]+)"')
  WHERE l.leaf LIKE '%"type":"budget.threshold"%'
) AS seen
GROUP BY 2, 3;
DELETE FROM counters WHERE series IN (0, 5)
  AND bucket < (SELECT max(bucket) FROM counters WHERE series IN (0, 5)) - 10080;

-- Until when an alert has every action of an agent approved by a person.
ALTER TABLE agents ADD COLUMN asks_until_ms BIGINT;
