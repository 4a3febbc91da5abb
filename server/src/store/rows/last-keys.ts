/** The largest keys that were assigned, and the first place in the status list after those of all tokens. */
export const LAST_KEYS = `SELECT
  (SELECT coalesce(max(token_key), 0) FROM tokens) AS last_token_key,
  (SELECT coalesce(max(agent_key), 0) FROM agents) AS last_agent_key,
  (SELECT coalesce(max(human_key), 0) FROM humans) AS last_human_key,
  (SELECT coalesce(max(workflow_key), 0) FROM workflows) AS last_workflow_key,
  (SELECT coalesce(max(name_key), 1) FROM names) AS last_name_key,
  (SELECT coalesce(max(data_key), 0) FROM data_keys) AS last_data_key,
  (SELECT coalesce(max(status_index), -1) + 1 FROM tokens) AS next_place`
