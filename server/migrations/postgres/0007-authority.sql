-- Settlement: records that settled above what was asked, evidence behind a reputation.
-- Sums are bounded from this version on. A sum beyond the integers that a number holds exactly becomes the largest of them.
UPDATE token_states SET spent_micro_usd = 9007199254740991 WHERE spent_micro_usd > 9007199254740991;
UPDATE token_states SET reserved_micro_usd = 9007199254740991 WHERE reserved_micro_usd > 9007199254740991;

-- Limits: spend per period.
ALTER TABLE token_states ADD COLUMN periods text;

-- Approvals: habits bound to amount, chain and shape; several approvers; time-boxed grants.

-- Agents: owners, keys, ranks of suspensions, people who refuse tokens in their name.
ALTER TABLE token_states ADD COLUMN suspended_rank smallint;
ALTER TABLE token_states ADD COLUMN suspend_code smallint;
ALTER TABLE token_states ADD COLUMN suspend_reason bytea;
ALTER TABLE agents ADD COLUMN suspended_rank smallint;
ALTER TABLE agents ADD COLUMN suspend_reason bytea;

-- Sessions: sealed ephemeral data, the access mode of the store.

-- Earlier versions did not seal values, so those entries end: people sign in again. Marks of things that were seen once
-- count by their key.
DELETE FROM ephemeral WHERE kind NOT IN ('proof', 'id_token');

-- Keys and log: withdrawn signing keys.

-- Stopping and time.
