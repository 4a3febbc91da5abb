-- What a workflow is asked for besides its numbers: all its leaves, when it last acted, and who takes part.

-- Leaves of a workflow that no other table leads to. They are rare, so that nothing is added to the recording of actions.
CREATE TABLE workflow_leaves (
  workflow_key INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  PRIMARY KEY (workflow_key, log_index)
) STRICT, WITHOUT ROWID;
INSERT INTO workflow_leaves (workflow_key, log_index)
SELECT w.workflow_key, l.log_index FROM leaves l JOIN workflows w ON w.provenance_ref = l.leaf ->> '$.provenance_ref'
WHERE l.leaf ->> '$.type' IN ('token.revoked', 'token.suspended', 'token.resumed', 'budget.threshold');

-- When the newest record of a workflow was made; beside the number of its records, which changes with it.
ALTER TABLE workflow_tallies ADD COLUMN last_ms INTEGER;
UPDATE workflow_tallies SET last_ms = (
  SELECT max(r.created_at_ms) FROM tokens t JOIN records r ON r.token_key = t.token_key
  WHERE t.workflow_key = workflow_tallies.workflow_key
) WHERE kind = 0;

-- The workflows of a person and of an agent, one step for each workflow however many tokens it has.
CREATE INDEX workflows_by_human ON tokens (human_key, workflow_key) WHERE parent_key IS NULL;
CREATE INDEX workflows_by_agent ON tokens (agent_key, workflow_key);
