/** Tables that move as they are, each with the columns that order it: what is copied first is what comes first. */
export const TABLES = {
  deployment: ['name'],
  names: ['name_key'],
  humans: ['human_key'],
  data_keys: ['data_key'],
  agents: ['agent_key'],
  agent_days: ['agent_key', 'day'],
  workflows: ['workflow_key'],
  workflow_tallies: ['workflow_key', 'kind', 'subject'],
  workflow_leaves: ['workflow_key', 'log_index'],
  tokens: ['token_key'],
  token_states: ['token_key'],
  records: ['log_index'],
  ratings: ['record_index'],
  denials: ['log_index'],
  approvals: ['log_index'],
  approval_habits: ['agent_key', 'human_key', 'action_key', 'resource_key'],
  registry: ['kind', 'id'],
  leaves: ['log_index'],
  log_nodes: ['level', 'node_index'],
  standing_changes: ['log_index'],
  checkpoints: ['size'],
  replays: ['replay_key'],
} as const satisfies Record<string, readonly string[]>

export type Table = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as Table[] // the names are the keys of the table above

/** Tables that only a database has, made from the others or empty at first. */
export const MADE_TABLES = [
  'log_head',
  'status_places',
  'writers',
  'sealed_keys',
  'passing',
  'migrations',
] as const
