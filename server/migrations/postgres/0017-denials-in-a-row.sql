-- The decisions below a root token, newest first: how often people denied in a row what it asked for.
CREATE INDEX approvals_by_root ON approvals (root_key, state, decided_index);
