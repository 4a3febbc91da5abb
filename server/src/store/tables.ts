import type { Place } from './vault.ts'

/**
 * Every table of the store, each column once. Row types, INSERT lists, the readers and writers of both dialects, `move`
 * and `check` are derived from it. A test compares the declaration with the schema that the migrations create, so a new
 * column needs a migration in each dialect and one line below.
 */

export type Dialect = 'sqlite' | 'postgres'

/** How each dialect stores a type. Both drivers return the same JavaScript values, except for `keys`. */
export const STORED_AS = {
  /** A key, a count, a log index, milliseconds or micro-dollars: always a safe integer. */
  integer: { sqlite: 'INTEGER', postgres: 'bigint' },
  /** A total that only the service adds to. Beyond the safe integers it is read as the largest one. */
  sum: { sqlite: 'INTEGER', postgres: 'bigint' },
  /** A position in a closed list, or a level. */
  small: { sqlite: 'INTEGER', postgres: 'smallint' },
  /** 0 or 1. */
  flag: { sqlite: 'INTEGER', postgres: 'smallint' },
  text: { sqlite: 'TEXT', postgres: 'text' },
  /** JSON, stored as the text it was written with. */
  json: { sqlite: 'TEXT', postgres: 'text' },
  bytes: { sqlite: 'BLOB', postgres: 'bytea' },
  /** A list of keys. The PostgreSQL driver returns its elements as strings. */
  keys: { sqlite: undefined, postgres: 'bigint[]' },
} as const

export type ColumnType = keyof typeof STORED_AS

export interface Column {
  readonly type: ColumnType
  readonly nullable?: true
  /** Present in only one dialect. */
  readonly only?: Dialect
  /** Holds text sealed for a place of this kind. */
  readonly sealed?: Place['kind']
}

interface TableDeclaration {
  readonly columns: Readonly<Record<string, Column>>
  /** The primary key, which is also the order in which `move` copies the rows. */
  readonly key: readonly string[]
  /** The SQLite file that holds the table. */
  readonly file?: 'deputy.db' | 'ephemeral.db' | 'deliveries.db' | 'none'
  /** A table that only one dialect has. */
  readonly only?: Dialect
}

const integer = { type: 'integer' } as const
const sum = { type: 'sum' } as const
const small = { type: 'small' } as const
const flag = { type: 'flag' } as const
const text = { type: 'text' } as const
const json = { type: 'json' } as const
const bytes = { type: 'bytes' } as const
const keys = { type: 'keys' } as const

function optional<C extends Column>(column: C) {
  return { ...column, nullable: true } as const
}

function only<D extends Dialect, C extends Column>(dialect: D, column: C) {
  return { ...column, only: dialect } as const
}

function sealed<K extends Place['kind']>(kind: K) {
  return { type: 'bytes', sealed: kind } as const
}

/** The sums kept for an agent, in total and for each day. */
const SUMS = {
  total_actions: sum,
  completed_actions: sum,
  scored_actions: sum,
  outcome_halves: sum,
  observed_actions: sum,
  observed_halves: sum,
  approved: sum,
  flagged: sum,
  rejected: sum,
} as const

/** What is counted for agents and tenants. */
const COUNTS = {
  allowed: sum,
  completed: sum,
  succeeded: sum,
  cancelled: sum,
  expired: sum,
  denied: sum,
  asked: sum,
  auto_approved: sum,
  approved: sum,
  refused: sum,
  decide_ms: sum,
  spend_micro_usd: sum,
} as const

/** Tables that hold the data of a deployment. Both dialects have them, and `move` copies them row by row. */
const DATA = {
  deployment: { key: ['name'], columns: { name: text, value: text } },
  names: { key: ['name_key'], columns: { name_key: integer, name: text } },
  humans: {
    key: ['human_key'],
    columns: {
      human_key: integer,
      human_ref: text,
      revoked_below: integer,
      data_key: optional(integer),
      erased_at_ms: optional(integer),
      refused_at_ms: optional(integer),
    },
  },
  data_keys: { key: ['data_key'], columns: { data_key: integer, human_key: integer, wrapped: bytes } },
  agents: {
    key: ['agent_key'],
    columns: {
      agent_key: integer,
      agent_id: text,
      first_seen_ms: integer,
      tenant_key: integer,
      last_action_ms: optional(integer),
      ...SUMS,
      suspended_at_ms: optional(integer),
      revoked_below: integer,
      profile: optional(json),
      suspended_rank: optional(small),
      suspend_reason: optional(sealed('agent.suspend_reason')),
      owned_by: optional(json),
      asks_until_ms: optional(integer),
    },
  },
  agent_keys: {
    key: ['agent_key', 'jkt'],
    columns: { agent_key: integer, jkt: text, log_index: integer, removed_index: optional(integer) },
  },
  agent_days: { key: ['agent_key', 'day'], columns: { agent_key: integer, day: integer, ...SUMS } },
  counters: {
    key: ['series', 'owner_key', 'bucket', 'name_key', 'resource_key'],
    columns: {
      series: small,
      owner_key: integer,
      bucket: integer,
      name_key: integer,
      resource_key: integer,
      ...COUNTS,
      rejected: sum,
      deepest: integer,
      budget_percent: small,
      first_index: optional(integer),
    },
  },
  workflows: { key: ['workflow_key'], columns: { workflow_key: integer, provenance_ref: text } },
  workflow_tallies: {
    key: ['workflow_key', 'kind', 'subject'],
    columns: {
      workflow_key: integer,
      kind: small,
      subject: integer,
      count: integer,
      last_ms: optional(integer),
    },
  },
  workflow_leaves: {
    key: ['workflow_key', 'log_index'],
    columns: { workflow_key: integer, log_index: integer, token_key: optional(integer) },
  },
  tokens: {
    key: ['token_key'],
    columns: {
      token_key: integer,
      jti: text,
      parent_key: optional(integer),
      root_key: integer,
      agent_key: integer,
      workflow_key: integer,
      human_key: integer,
      level: small,
      log_index: integer,
      issued_at_ms: integer,
      jwt_hash: text,
      claims: json,
      purpose: optional(sealed('token.purpose')),
      path: bytes,
      ancestors: only('postgres', keys),
      expires_at_ms: integer,
      status_index: optional(integer),
      tenant_key: integer,
      inner_limits: optional(sealed('token.inner_limits')),
    },
  },
  token_states: {
    key: ['token_key'],
    columns: {
      token_key: integer,
      revoked_at_ms: optional(integer),
      suspended_at_ms: optional(integer),
      spent_micro_usd: sum,
      reserved_micro_usd: sum,
      actions: sum,
      minute: integer,
      minute_actions: sum,
      periods: optional(json),
      revoke_reason: optional(sealed('token.reason')),
      suspended_rank: optional(small),
      suspend_code: optional(small),
      suspend_reason: optional(sealed('token.suspend_reason')),
      released_at_ms: optional(integer),
    },
  },
  records: {
    key: ['log_index'],
    columns: {
      log_index: integer,
      aar_id: text,
      token_key: integer,
      action_key: integer,
      resource_key: integer,
      state: small,
      created_at_ms: integer,
      result_key: optional(integer),
      result_hash: optional(text),
      spend_micro_usd: integer,
      parent_index: optional(integer),
      expires_at_ms: optional(integer),
      completed_at_ms: optional(integer),
      completed_index: optional(integer),
      completed_after_revocation: flag,
      over_budget: flag,
      exceeded: flag,
      completion_digest: optional(text),
      trace_id: optional(text),
      metadata: optional(sealed('record.metadata')),
      evidence: small,
    },
  },
  ratings: {
    key: ['record_index'],
    columns: {
      record_index: integer,
      rating: small,
      feedback_at_ms: integer,
      log_index: integer,
      rater_assurance: text,
      note: optional(sealed('rating.note')),
    },
  },
  denials: {
    key: ['log_index'],
    columns: {
      log_index: integer,
      denial_id: text,
      token_key: integer,
      action_key: integer,
      resource_key: integer,
      spend_micro_usd: integer,
      reasons: json,
      created_at_ms: integer,
      trace_id: optional(text),
    },
  },
  approvals: {
    key: ['log_index'],
    columns: {
      log_index: integer,
      approval_id: text,
      token_key: integer,
      action_key: integer,
      resource_key: integer,
      spend_micro_usd: integer,
      metadata: optional(sealed('approval.metadata')),
      binding: text,
      root_key: integer,
      human_key: integer,
      shape: optional(text),
      approvers: optional(json),
      endorsements: optional(json),
      granted: optional(json),
      grant_id: optional(text),
      state: small,
      created_at_ms: integer,
      expires_at_ms: integer,
      decided_at_ms: optional(integer),
      decided_by: optional(text),
      decided_index: optional(integer),
      note: optional(sealed('approval.note')),
      used_by: optional(text),
    },
  },
  approval_habits: {
    key: ['agent_key', 'human_key', 'action_key', 'resource_key', 'root_key', 'shape'],
    columns: {
      agent_key: integer,
      human_key: integer,
      action_key: integer,
      resource_key: integer,
      root_key: integer,
      shape: text,
      approvals: integer,
      auto_approvals: integer,
      unasked: integer,
      is_due: flag,
      amounts: json,
      last_human_ms: integer,
      live_grant: optional(json),
    },
  },
  registry: {
    key: ['kind', 'id'],
    columns: {
      kind: text,
      id: text,
      tenant_id: text,
      owner: optional(text),
      document: optional(sealed('registry.document')),
      log_index: integer,
    },
  },
  vouches: {
    key: ['log_index'],
    columns: {
      log_index: integer,
      vouch_id: text,
      tenant_id: text,
      from_ref: text,
      to_ref: text,
      context: optional(text),
      weight: integer,
      note: optional(sealed('vouch.note')),
      made_at_ms: integer,
      expires_at_ms: optional(integer),
      changed_index: optional(integer),
      ended_at_ms: optional(integer),
      ended_index: optional(integer),
    },
  },
  anchors: {
    key: ['human_ref'],
    columns: {
      human_ref: text,
      tenant_id: text,
      base: integer,
      reason: optional(sealed('anchor.reason')),
      named_at_ms: integer,
      log_index: integer,
      removed_index: optional(integer),
    },
  },
  vouch_scores: {
    key: ['agent_id'],
    columns: {
      agent_id: text,
      asked_index: integer,
      score: optional(integer),
      log_size: optional(integer),
    },
  },
  leaves: { key: ['log_index'], columns: { log_index: integer, leaf_hash: bytes, leaf: json } },
  log_nodes: { key: ['level', 'node_index'], columns: { level: small, node_index: integer, hash: bytes } },
  standing_changes: { key: ['log_index'], columns: { log_index: integer } },
  trust_changes: { key: ['log_index'], columns: { log_index: integer } },
  checkpoints: {
    key: ['size'],
    columns: { size: integer, root: bytes, signed_at_ms: integer, note: text },
  },
  replays: {
    key: ['replay_key'],
    columns: { replay_key: text, fingerprint: text, outcome: sealed('replay'), expires_at_ms: integer },
  },
} as const satisfies Record<string, TableDeclaration>

/** Tables that a store fills by itself, or whose rows aren't worth moving. `move` doesn't copy them. */
const OWN = {
  log_head: {
    key: [],
    columns: {
      only: only('sqlite', integer),
      single: only('postgres', small),
      frontier: bytes,
      last_ms: integer,
      batch: only('postgres', integer),
      oldest_schema: only('postgres', integer),
      last_token_key: only('postgres', integer),
      last_agent_key: only('postgres', integer),
      last_human_key: only('postgres', integer),
      last_workflow_key: only('postgres', integer),
      last_name_key: only('postgres', integer),
      last_data_key: only('postgres', integer),
    },
  },
  deferred_sums: { key: ['batch'], columns: { batch: integer, sums: json } },
  journal_position: { only: 'sqlite', key: ['only'], columns: { only: integer, frame: integer } },
  writers: {
    file: 'none',
    key: ['writer_id'],
    columns: { writer_id: text, last_batch: integer, seen_ms: integer },
  },
  clerk_lease: {
    file: 'none',
    key: ['single'],
    columns: {
      single: small,
      epoch: integer,
      holder: text,
      host: text,
      port: integer,
      version: text,
      expires_at_ms: integer,
    },
  },
  status_places: { file: 'none', key: ['single'], columns: { single: small, next: integer } },
  sealed_keys: {
    file: 'none',
    key: ['single'],
    columns: { single: small, revision: integer, sealed: bytes },
  },
  ephemeral: {
    file: 'ephemeral.db',
    key: ['kind', 'key'],
    columns: {
      kind: text,
      key: text,
      value: json,
      owner: optional(text),
      expires_at_ms: integer,
      added: integer,
    },
  },
  delivery_endpoints: {
    file: 'deliveries.db',
    key: ['endpoint_id'],
    columns: {
      endpoint_id: text,
      revision: integer,
      next_index: integer,
      failing_since_ms: optional(integer),
      disabled_at_ms: optional(integer),
      disabled_reason: optional(small),
      holder: optional(text),
      held_until_ms: integer,
    },
  },
  deliveries: {
    file: 'deliveries.db',
    key: ['endpoint_id', 'log_index'],
    columns: {
      endpoint_id: text,
      log_index: integer,
      lane: text,
      state: small,
      attempts: integer,
      first_at_ms: integer,
      last_at_ms: integer,
      next_at_ms: integer,
      status: optional(integer),
      error: optional(text),
      answer: optional(sealed('delivery.answer')),
      took_ms: optional(integer),
    },
  },
  migrations: { file: 'none', key: ['number'], columns: { number: integer, name: text } },
} as const satisfies Record<string, TableDeclaration>

export const TABLES = { ...DATA, ...OWN } as const

type Tables = typeof TABLES
export type TableName = keyof Tables
export type DataTable = keyof typeof DATA

// The names of the tables are the keys of the declaration.
export const DATA_TABLES = Object.keys(DATA) as DataTable[]
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

interface Values {
  readonly integer: number
  readonly sum: number
  readonly small: number
  readonly flag: 0 | 1
  readonly text: string
  readonly json: string
  readonly bytes: Uint8Array
  readonly keys: readonly number[]
}

type ValueOf<C> = C extends { readonly type: ColumnType }
  ? Values[C['type']] | (C extends { readonly nullable: true } ? null : never)
  : never

type ColumnsOf<T extends TableName> = Tables[T]['columns']

/** The columns that every dialect has. */
type SharedColumn<T extends TableName> = {
  [C in keyof ColumnsOf<T>]: ColumnsOf<T>[C] extends { readonly only: Dialect } ? never : C
}[keyof ColumnsOf<T>]

/** The columns that one dialect has. */
type DialectColumn<T extends TableName, D extends Dialect> = {
  [C in keyof ColumnsOf<T>]: ColumnsOf<T>[C] extends { readonly only: Exclude<Dialect, D> } ? never : C
}[keyof ColumnsOf<T>]

/** A row of a table: the values that both drivers take and return, by column. */
export type RowOf<T extends TableName> = { readonly [C in SharedColumn<T>]: ValueOf<ColumnsOf<T>[C]> }

/** A row with the columns that only this dialect has. */
export type DialectRow<T extends TableName, D extends Dialect> = {
  readonly [C in DialectColumn<T, D>]: ValueOf<ColumnsOf<T>[C]>
}

export type ColumnOf<T extends TableName> = keyof RowOf<T> & string

export function columnOf(table: TableName, name: string): Column {
  const columns: Readonly<Record<string, Column>> = TABLES[table].columns
  const column = columns[name]
  if (column === undefined) throw new TypeError(`table ${table} declares no column ${name}`)
  return column
}

/** Returns the columns of a table in one dialect, in the order of the declaration. */
export function columnsIn<T extends TableName, D extends Dialect>(
  table: T,
  dialect: D,
): readonly (keyof DialectRow<T, D> & string)[] {
  const columns: Readonly<Record<string, Column>> = TABLES[table].columns
  const names = Object.keys(columns).filter((name) => (columns[name]?.only ?? dialect) === dialect)
  return names as (keyof DialectRow<T, D> & string)[] // the filter above is what DialectColumn says in types
}

/** Returns the columns of a table that every dialect has. */
export function columnsOf<T extends TableName>(table: T): readonly ColumnOf<T>[] {
  const columns: Readonly<Record<string, Column>> = TABLES[table].columns
  const names = Object.keys(columns).filter((name) => columns[name]?.only === undefined)
  return names as ColumnOf<T>[] // the filter above is what SharedColumn says in types
}

/** Returns the columns of a table that aren't in its key, which an upsert of a row replaces. */
export function columnsBesideKey<T extends TableName>(table: T): readonly ColumnOf<T>[] {
  const key: readonly string[] = TABLES[table].key
  return columnsOf(table).filter((name) => !key.includes(name))
}

/** The names of an agent's sums. */
export const SUM_COLUMNS = Object.keys(SUMS) as (keyof typeof SUMS)[]
