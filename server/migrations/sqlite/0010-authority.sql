-- Settlement: records that settled above what was asked, evidence behind a reputation.
-- Sums are bounded from this version on. A sum beyond the integers that a number holds exactly becomes the largest of them.
UPDATE token_states SET spent_micro_usd = 9007199254740991 WHERE spent_micro_usd > 9007199254740991;
UPDATE token_states SET reserved_micro_usd = 9007199254740991 WHERE reserved_micro_usd > 9007199254740991;

-- Limits: spend per period.
ALTER TABLE token_states ADD COLUMN periods TEXT;

-- Approvals: habits bound to amount, chain and shape; several approvers; time-boxed grants.

-- Agents: owners, keys, ranks of suspensions, people who refuse tokens in their name.
ALTER TABLE token_states ADD COLUMN suspended_rank INTEGER;
ALTER TABLE token_states ADD COLUMN suspend_code INTEGER;
ALTER TABLE token_states ADD COLUMN suspend_reason BLOB;
ALTER TABLE agents ADD COLUMN suspended_rank INTEGER;
ALTER TABLE agents ADD COLUMN suspend_reason BLOB;

-- Sessions: sealed ephemeral data, the access mode of the store. Both need no change here: ephemeral data has a file of its own.

-- Keys and log: withdrawn signing keys.

-- Stopping and time.
