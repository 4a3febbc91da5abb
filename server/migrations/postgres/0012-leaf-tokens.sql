-- Stop earlier nodes first: they would write leaves of workflows without their tokens.
-- The token that a lone leaf of a workflow is about, so that its event names it without a search. Leaves name tokens by a
-- digest. Leaves about approvals have none: the approval leads to its token.
ALTER TABLE workflow_leaves ADD COLUMN token_key BIGINT;
CREATE TEMP TABLE token_refs ON COMMIT DROP AS
SELECT 'sha256:' || encode(sha256(convert_to(jti, 'UTF8')), 'hex') AS ref, token_key
FROM tokens WHERE workflow_key IN (SELECT workflow_key FROM workflow_leaves);
CREATE UNIQUE INDEX ON token_refs (ref);
UPDATE workflow_leaves w SET token_key = r.token_key
FROM leaves l JOIN token_refs r ON r.ref = substring(l.leaf FROM '"token":"([^"]+)"')
WHERE l.log_index = w.log_index;
