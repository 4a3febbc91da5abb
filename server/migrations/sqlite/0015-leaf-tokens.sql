-- The token that a lone leaf of a workflow is about, so that its event names it without a search. Leaves name tokens by a
-- digest, which `token_ref` computes. Leaves about approvals have none: the approval leads to its token.
ALTER TABLE workflow_leaves ADD COLUMN token_key INTEGER;
CREATE TEMP TABLE token_refs AS
SELECT token_ref(jti) AS ref, token_key FROM tokens WHERE workflow_key IN (SELECT workflow_key FROM workflow_leaves);
CREATE UNIQUE INDEX temp.token_refs_by_ref ON token_refs (ref);
UPDATE workflow_leaves SET token_key = (
  SELECT r.token_key FROM leaves l JOIN temp.token_refs r ON r.ref = l.leaf ->> '$.token'
  WHERE l.log_index = workflow_leaves.log_index
);
DROP TABLE temp.token_refs;
