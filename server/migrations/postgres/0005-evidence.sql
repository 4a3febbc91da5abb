-- Who told of a record: 0 the agent itself, 1 a resource server. Before this, nobody was told apart.
ALTER TABLE records ADD COLUMN evidence SMALLINT NOT NULL DEFAULT 0;
