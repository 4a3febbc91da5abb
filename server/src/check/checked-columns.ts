import { type ColumnOf, columnsOf, type RowOf, type TABLES, type TableName } from '../store/tables.ts'

/** Columns that hold the key of another row. Leaves hold the name of that row, so the check compares the name. */
const REFERENCES = {
  agent_key: { table: 'agents', key: 'agent_key', name: 'agent_id', as: 'agent_id' },
  human_key: { table: 'humans', key: 'human_key', name: 'human_ref', as: 'human_ref' },
  workflow_key: { table: 'workflows', key: 'workflow_key', name: 'provenance_ref', as: 'provenance_ref' },
  tenant_key: { table: 'names', key: 'name_key', name: 'name', as: 'tenant_id' },
  action_key: { table: 'names', key: 'name_key', name: 'name', as: 'action' },
  resource_key: { table: 'names', key: 'name_key', name: 'name', as: 'resource' },
  result_key: { table: 'names', key: 'name_key', name: 'name', as: 'result' },
} as const

type References = typeof REFERENCES

/**
 * Columns that are not compared by value, each with the check that covers it. A new column in `store/tables.ts` breaks
 * the build here until it is compared or listed in this table.
 */
const CHECKED_APART = {
  tokens: {
    log_index: 'rows and leaves are read in step',
    jti: 'its SHA-256 is in the leaf',
    claims: 'their hash is in the leaf',
    status_index: 'is in the claims, if they are intact',
    tenant_key: 'the first tenant has no name to compare',
  },
  records: {
    log_index: 'rows and leaves are read in step',
    parent_index: 'the parent is compared by ID, and must come earlier in the same workflow',
  },
  denials: { log_index: 'rows and leaves are read in step' },
  approvals: { log_index: 'rows and leaves are read in step' },
  ratings: {
    log_index: 'rows and leaves are read in step',
    record_index: 'the record is compared by ID, and must come earlier',
  },
  workflow_leaves: { log_index: 'rows and leaves are read in step' },
  token_states: { token_key: 'the row is found by it' },
  agents: {
    agent_id: 'the row is found by it',
    agent_key: 'agents are numbered without gaps',
    tenant_key: 'the first tenant has no name to compare',
    profile: 'its digest is in the log',
    owned_by: 'the log names API keys by a hash of their ID',
  },
  agent_keys: { agent_key: 'the row is found by it', jkt: 'the row is found by it' },
  agent_days: { agent_key: 'the row is found by it', day: 'the row is found by it' },
  humans: {
    human_ref: 'the row is found by it',
    human_key: 'everything that refers to the row is compared by its name',
    data_key: 'must be a key of this person; erasures are checked with the keys',
  },
  workflows: {
    provenance_ref: 'the row is found by it',
    workflow_key: 'everything that refers to the row is compared by its name',
  },
  workflow_tallies: {
    workflow_key: 'the row is found by it',
    kind: 'the row is found by it',
    subject: 'the row is found by it',
  },
  counters: {
    series: 'the row is found by it',
    owner_key: 'the row is found by it',
    bucket: 'the row is found by it',
    name_key: 'the row is found by it',
    resource_key: 'the row is found by it',
  },
  approval_habits: {
    agent_key: 'the row is found by it',
    human_key: 'the row is found by it',
    action_key: 'the row is found by it',
    resource_key: 'the row is found by it',
    root_key: 'the row is found by it',
    shape: 'the row is found by it',
  },
  vouches: { vouch_id: 'the row is found by it' },
  anchors: { human_ref: 'the row is found by it' },
  vouch_scores: {
    agent_id: 'the row is found by it',
    score: 'is computed again from the log',
    log_size: 'names the log that the score is computed from',
  },
  registry: { kind: 'the row is found by it', id: 'the row is found by its hash' },
} as const satisfies { readonly [T in TableName]?: { readonly [C in ColumnOf<T>]?: string } }

/** Tables whose rows are compared with the rows that follow from the log. */
export type CheckedTable = keyof typeof CHECKED_APART

type Columns<T extends CheckedTable> = (typeof TABLES)[T]['columns']
type ApartColumn<T extends CheckedTable> = keyof (typeof CHECKED_APART)[T]
type ComparedColumn<T extends CheckedTable> = Exclude<ColumnOf<T>, SealedColumn<T> | ApartColumn<T>>

/** The columns of a table that hold sealed texts. */
export type SealedColumn<T extends CheckedTable> = {
  [C in keyof Columns<T>]: Columns<T>[C] extends { readonly sealed: string } ? C : never
}[keyof Columns<T>] &
  string

/** The values that the log implies for a row: every column that is neither sealed nor checked apart. */
export type ExpectedValues<T extends CheckedTable> = {
  readonly [C in Exclude<ComparedColumn<T>, keyof References>]: RowOf<T>[C]
} & {
  readonly [C in Extract<ComparedColumn<T>, keyof References> as References[C]['as']]: string | null
}

function referencesIn(table: CheckedTable) {
  const columns: readonly string[] = columnsOf(table)
  return columns.flatMap((column) => {
    const reference = isReference(column) ? REFERENCES[column] : undefined
    return reference === undefined || reference.table === table ? [] : [{ column, ...reference }]
  })
}

function isReference(column: string): column is keyof References {
  return Object.hasOwn(REFERENCES, column)
}

function isApart(table: CheckedTable, column: string): boolean {
  return Object.hasOwn(CHECKED_APART[table], column)
}

// The keys of the table above are the checked tables.
const CHECKED_TABLES = Object.keys(CHECKED_APART) as CheckedTable[]

const NAME_COLUMNS = new Map(
  CHECKED_TABLES.map((table) => [
    table,
    referencesIn(table)
      .filter((reference) => reference.table === 'names' && !isApart(table, reference.column))
      .map(({ column }) => column),
  ]),
)

/** The compared columns of a table that refer to names. Names in them are in use. */
export function nameColumns(table: CheckedTable): readonly string[] {
  return NAME_COLUMNS.get(table) ?? []
}

/** Selects a table as `t`, with the names of the rows that it refers to. `more` are further columns and their joins. */
export function selectNamed(table: CheckedTable, more: { columns?: string; joins?: string } = {}): string {
  const references = referencesIn(table)
  const columns = references.map(({ column, name, as }) => `${column}_row.${name} AS ${as}`)
  const joins = references.map(
    (reference) =>
      `LEFT JOIN ${reference.table} ${reference.column}_row ON ${reference.column}_row.${reference.key} = t.${reference.column}`,
  )
  return [
    `SELECT ${['t.*', ...columns, ...(more.columns === undefined ? [] : [more.columns])].join(', ')} FROM ${table} t`,
    ...joins,
    ...(more.joins === undefined ? [] : [more.joins]),
  ].join('\n')
}
