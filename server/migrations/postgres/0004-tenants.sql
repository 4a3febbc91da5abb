-- Which tenant an agent and its tokens belong to: the key of its id in `names`, and 0 for `default`, which is there from
-- the start. Lists of a tenant go through these indexes.
ALTER TABLE tokens ADD COLUMN tenant_key BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN tenant_key BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tokens_by_tenant ON tokens (tenant_key, token_key);
CREATE INDEX workflows_by_tenant ON tokens (tenant_key, workflow_key) WHERE parent_key IS NULL;
CREATE INDEX agents_by_tenant ON agents (tenant_key, agent_key);
