-- Settlement: records that settled above what was asked, evidence behind a reputation.

-- Limits: spend per period.

-- Approvals: habits bound to amount, chain and shape; several approvers; time-boxed grants.

-- Agents: owners, keys, ranks of suspensions, people who refuse tokens in their name.

-- Sessions: sealed ephemeral data, the access mode of the store.

-- Keys and log: withdrawn signing keys.

-- Stopping and time.
