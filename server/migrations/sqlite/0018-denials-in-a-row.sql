-- What people decided below a root token, newest first: how often they denied in a row what it asked for. Without what
-- habits and grants approved, of which there may be any number.
CREATE INDEX approvals_by_people ON approvals (root_key, state, decided_index)
  WHERE decided_by NOT IN ('habit', 'grant');
