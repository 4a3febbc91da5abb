-- Where in the log a token, an agent or a person was revoked, suspended or resumed, so that offline verifiers can be told
-- of the newest changes without reading everything that lies between.
CREATE TABLE standing_changes (
  log_index INTEGER PRIMARY KEY
) STRICT;
INSERT INTO standing_changes (log_index)
SELECT log_index FROM leaves WHERE leaf ->> '$.type' IN (
  'token.revoked', 'token.suspended', 'token.resumed', 'agent.revoked', 'agent.suspended', 'agent.resumed', 'human.revoked'
);

-- The few whose marks silence tokens, for the status list.
CREATE INDEX agents_silenced ON agents (agent_key) WHERE revoked_below > 0 OR suspended_at_ms IS NOT NULL;
CREATE INDEX humans_silenced ON humans (human_key) WHERE revoked_below > 0;
