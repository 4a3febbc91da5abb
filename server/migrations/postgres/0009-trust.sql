-- Vouches: people who stand up for a person or an agent. `log_index` is the leaf that made it, `changed_index` that of the
-- newest change, `ended_index` the one that ended it: a withdrawal, an erasure, or the vouch that replaces an expired one.
CREATE TABLE vouches (
  log_index BIGINT PRIMARY KEY,
  vouch_id TEXT NOT NULL UNIQUE,
  tenant_id TEXT NOT NULL,
  from_ref TEXT NOT NULL,
  -- A person, or `agent:` and the name of an agent.
  to_ref TEXT NOT NULL,
  context TEXT,
  -- In millionths.
  weight BIGINT NOT NULL CHECK (weight BETWEEN 10000 AND 1000000),
  -- Sealed for the person who vouches.
  note BYTEA,
  made_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  changed_index BIGINT,
  ended_at_ms BIGINT,
  ended_index BIGINT
);
CREATE UNIQUE INDEX vouches_standing ON vouches (from_ref, to_ref, coalesce(context, '')) WHERE ended_index IS NULL;
CREATE INDEX vouches_by_tenant ON vouches (tenant_id, log_index);
CREATE INDEX vouches_by_giver ON vouches (from_ref, log_index);
CREATE INDEX vouches_by_subject ON vouches (to_ref, log_index);
CREATE INDEX vouches_open_for ON vouches (to_ref) WHERE ended_index IS NULL;

-- Only the note may go, with the person whom it is about.
CREATE TRIGGER ended_vouches_never_change BEFORE UPDATE ON vouches FOR EACH ROW
WHEN (OLD.ended_index IS NOT NULL AND (NEW.ended_index IS DISTINCT FROM OLD.ended_index OR NEW.weight <> OLD.weight
  OR NEW.expires_at_ms IS DISTINCT FROM OLD.expires_at_ms))
EXECUTE FUNCTION refuse_change('a vouch that ended never changes');
CREATE TRIGGER vouches_never_go BEFORE DELETE ON vouches
FOR EACH ROW EXECUTE FUNCTION refuse_change('a vouch is kept for ever');

-- Anchors that operators named. A removed one keeps its row.
CREATE TABLE anchors (
  human_ref TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  -- In millionths.
  base BIGINT NOT NULL CHECK (base BETWEEN 0 AND 1000000),
  -- Sealed for the person.
  reason BYTEA,
  named_at_ms BIGINT NOT NULL,
  log_index BIGINT NOT NULL,
  removed_index BIGINT
);
CREATE INDEX anchors_by_tenant ON anchors (tenant_id, log_index) WHERE removed_index IS NULL;

-- Agents whose score a token asks for, since which leaf, and the score that was computed last, at which size of the log.
CREATE TABLE vouch_scores (
  agent_id TEXT PRIMARY KEY,
  asked_index BIGINT NOT NULL,
  -- In millionths.
  score BIGINT,
  log_size BIGINT
);

-- Leaves that change the trust graph and that no other table leads to.
CREATE TABLE trust_changes (
  log_index BIGINT PRIMARY KEY
);
INSERT INTO trust_changes (log_index)
SELECT log_index FROM leaves
WHERE leaf LIKE '%"type":"session.begun"%' AND leaf NOT LIKE '%"assurance_level":"L1"%'
  OR leaf LIKE '%"type":"human.erased"%'
  OR leaf LIKE '%"type":"registry.changed"%' AND leaf LIKE '%"kind":"biometric"%' AND leaf LIKE '%"removed":true%'
  OR leaf LIKE '%"type":"registry.changed"%' AND leaf LIKE '%"withdraws":%';

-- The other leaves that change it.
CREATE INDEX ratings_by_leaf ON ratings (log_index);
CREATE INDEX tokens_verified ON tokens (log_index) WHERE level > 1 AND parent_key IS NULL;
-- Whether an agent ever acted for a person.
CREATE INDEX tokens_by_person_and_agent ON tokens (human_key, agent_key);
