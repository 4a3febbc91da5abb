-- The tables of server/migrations/postgres, split into lanes and distributed by Citus. NOT RUN ON CITUS: see README.md.
-- For an empty database after `deputy migrate`, on the coordinator. Every statement of the server would need a
-- lane, too; this version of the server does not support that.

BEGIN;

-- 1. Every table of a batch gets a lane. Existing rows belong to lane 0.
DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'writers', 'names', 'humans', 'data_keys', 'agents', 'agent_keys', 'agent_days', 'counters', 'workflows',
    'workflow_tallies', 'workflow_leaves', 'tokens', 'token_states', 'records', 'ratings', 'denials', 'approvals', 'approval_habits',
    'leaves', 'log_nodes', 'standing_changes', 'trust_changes', 'checkpoints', 'replays'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN lane SMALLINT NOT NULL DEFAULT 0', name);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN lane DROP DEFAULT', name);
  END LOOP;
END $$;

-- 2. Citus enforces uniqueness within a shard only, so every key starts with the lane.
ALTER TABLE writers DROP CONSTRAINT writers_pkey, ADD PRIMARY KEY (lane, writer_id);
ALTER TABLE names DROP CONSTRAINT names_pkey, DROP CONSTRAINT names_name_key,
  ADD PRIMARY KEY (lane, name_key), ADD UNIQUE (lane, name);
ALTER TABLE humans DROP CONSTRAINT humans_pkey, DROP CONSTRAINT humans_human_ref_key,
  ADD PRIMARY KEY (lane, human_key), ADD UNIQUE (lane, human_ref);
ALTER TABLE data_keys DROP CONSTRAINT data_keys_pkey, ADD PRIMARY KEY (lane, data_key);
ALTER TABLE agents DROP CONSTRAINT agents_pkey, DROP CONSTRAINT agents_agent_id_key,
  ADD PRIMARY KEY (lane, agent_key), ADD UNIQUE (lane, agent_id);
ALTER TABLE agent_keys DROP CONSTRAINT agent_keys_pkey, ADD PRIMARY KEY (lane, agent_key, jkt);
ALTER TABLE agent_days DROP CONSTRAINT agent_days_pkey, ADD PRIMARY KEY (lane, agent_key, day);
ALTER TABLE counters DROP CONSTRAINT counters_pkey,
  ADD PRIMARY KEY (lane, series, owner_key, bucket, name_key, resource_key);
ALTER TABLE workflows DROP CONSTRAINT workflows_pkey, DROP CONSTRAINT workflows_provenance_ref_key,
  ADD PRIMARY KEY (lane, workflow_key), ADD UNIQUE (lane, provenance_ref);
ALTER TABLE workflow_tallies DROP CONSTRAINT workflow_tallies_pkey,
  ADD PRIMARY KEY (lane, workflow_key, kind, subject);
ALTER TABLE workflow_leaves DROP CONSTRAINT workflow_leaves_pkey, ADD PRIMARY KEY (lane, workflow_key, log_index);
ALTER TABLE tokens DROP CONSTRAINT tokens_pkey, DROP CONSTRAINT tokens_jti_key,
  ADD PRIMARY KEY (lane, token_key), ADD UNIQUE (lane, jti);
DROP INDEX tokens_by_path, tokens_by_status_index;
CREATE UNIQUE INDEX tokens_by_path ON tokens (lane, path, expires_at_ms);
CREATE UNIQUE INDEX tokens_by_status_index ON tokens (lane, status_index);
ALTER TABLE token_states DROP CONSTRAINT token_states_pkey, ADD PRIMARY KEY (lane, token_key);
ALTER TABLE records DROP CONSTRAINT records_pkey, DROP CONSTRAINT records_aar_id_key,
  ADD PRIMARY KEY (lane, log_index), ADD UNIQUE (lane, aar_id);
ALTER TABLE ratings DROP CONSTRAINT ratings_pkey, ADD PRIMARY KEY (lane, record_index);
ALTER TABLE denials DROP CONSTRAINT denials_pkey, DROP CONSTRAINT denials_denial_id_key,
  ADD PRIMARY KEY (lane, log_index), ADD UNIQUE (lane, denial_id);
ALTER TABLE approvals DROP CONSTRAINT approvals_pkey, DROP CONSTRAINT approvals_approval_id_key,
  ADD PRIMARY KEY (lane, log_index), ADD UNIQUE (lane, approval_id);
DROP INDEX approvals_open;
CREATE UNIQUE INDEX approvals_open ON approvals (lane, binding) WHERE state = 0;
ALTER TABLE approval_habits DROP CONSTRAINT approval_habits_pkey,
  ADD PRIMARY KEY (lane, agent_key, human_key, action_key, resource_key, root_key, shape);
ALTER TABLE leaves DROP CONSTRAINT leaves_pkey, ADD PRIMARY KEY (lane, log_index);
ALTER TABLE log_nodes DROP CONSTRAINT log_nodes_pkey, ADD PRIMARY KEY (lane, level, node_index);
ALTER TABLE standing_changes DROP CONSTRAINT standing_changes_pkey, ADD PRIMARY KEY (lane, log_index);
ALTER TABLE trust_changes DROP CONSTRAINT trust_changes_pkey, ADD PRIMARY KEY (lane, log_index);
ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_pkey, ADD PRIMARY KEY (lane, size);
ALTER TABLE replays DROP CONSTRAINT replays_pkey, ADD PRIMARY KEY (lane, replay_key);

-- Other indexes stay unchanged: within a shard of one lane they find the same rows. If a worker holds many
-- lanes, put the lane before their first column, too.

-- 3. One head per lane instead of one in total.
ALTER TABLE log_head DROP CONSTRAINT log_head_pkey, DROP CONSTRAINT log_head_single_check;
ALTER TABLE log_head RENAME COLUMN single TO lane;
UPDATE log_head SET lane = 0;
ALTER TABLE log_head ADD PRIMARY KEY (lane);
INSERT INTO log_head SELECT lane, '\x0000000000000000', 0, 0, 0, 0, 0, 0, 1, 0 FROM generate_series(1, 63) AS lane;
INSERT INTO names (lane, name_key, name) SELECT lane, 1, 'success' FROM generate_series(1, 63) AS lane;

-- 4. The triggers that protect final rows read no other row, as Citus requires.
SET LOCAL citus.enable_unsafe_triggers = on;

-- 5. All rows of a lane on one shard.
SELECT create_distributed_table('log_head', 'lane', shard_count => 64, colocate_with => 'none');
SELECT create_distributed_table(name::regclass, 'lane', colocate_with => 'log_head') FROM unnest(ARRAY[
  'writers', 'names', 'humans', 'data_keys', 'agents', 'agent_keys', 'agent_days', 'counters', 'workflows',
  'workflow_tallies', 'workflow_leaves', 'tokens', 'token_states', 'records', 'ratings', 'denials', 'approvals', 'approval_habits',
  'leaves', 'log_nodes', 'standing_changes', 'trust_changes', 'checkpoints', 'replays'
]) AS name;
SELECT create_reference_table(name::regclass) FROM unnest(ARRAY[
  'deployment', 'registry', 'vouches', 'anchors', 'vouch_scores', 'ephemeral', 'delivery_endpoints', 'deliveries', 'sealed_keys', 'status_places', 'migrations'
]) AS name;

-- 6. The log above the lanes: each row is an entry, a checkpoint of one lane.
CREATE TABLE lane_checkpoints (
  above_index BIGINT PRIMARY KEY,
  lane SMALLINT NOT NULL,
  size BIGINT NOT NULL,
  root BYTEA NOT NULL
);
SELECT create_reference_table('lane_checkpoints');

-- 7. A batch as one call that the coordinator passes to the worker with the lane. The body is the statement
-- of server/src/store/postgres/hot-statement.ts with `lane` in every row; this shows how its head changes.
CREATE FUNCTION advance_head(
  for_lane SMALLINT, seen_batch BIGINT, new_frontier BYTEA, new_last_ms BIGINT, new_token_key BIGINT,
  new_agent_key BIGINT, new_human_key BIGINT, new_workflow_key BIGINT, new_name_key BIGINT, new_data_key BIGINT
) RETURNS BIGINT LANGUAGE sql AS $$
  UPDATE log_head SET batch = batch + 1, frontier = new_frontier, last_ms = new_last_ms,
    last_token_key = new_token_key, last_agent_key = new_agent_key, last_human_key = new_human_key,
    last_workflow_key = new_workflow_key, last_name_key = new_name_key, last_data_key = new_data_key
  WHERE lane = for_lane AND batch = seen_batch
  RETURNING batch
$$;
SELECT create_distributed_function(
  'advance_head(smallint, bigint, bytea, bigint, bigint, bigint, bigint, bigint, bigint, bigint)',
  'for_lane', colocate_with => 'log_head'
);

COMMIT;
