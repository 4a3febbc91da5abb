import {
  append,
  type Checkpoint,
  canonicalJson,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  leafHash,
  type NoteKey,
  openCheckpoint,
  rootOf,
  TILE_LEVELS,
} from '@deputize/protocol'
import type { Leaf } from '../log/leaf.ts'
import { isLeafSalt } from '../log/leaf-salt.ts'
import type { StoreTables, TableRow } from '../store/port/store-tables.ts'
import { type Cursor, cursorOver } from './cursor.ts'
import { compareColumns, type Findings } from './findings.ts'

/** A leaf with its index and its time. */
export interface LeafEntry {
  readonly log_index: number
  readonly at_ms: number
  readonly leaf: Leaf
}

export interface LogOptions {
  readonly tables: StoreTables
  readonly key: NoteKey
  /** The last signed checkpoint, from the file outside the store. */
  readonly trusted: Checkpoint | undefined
  readonly findings: Findings
}

/**
 * Reads the log from the first leaf and rehashes every leaf. The result must match every stored node, the log head,
 * every stored checkpoint and, above all, the checkpoint outside the store.
 */
export async function* readLogEntries({
  tables,
  key,
  trusted,
  findings,
}: LogOptions): AsyncGenerator<LeafEntry> {
  const frontier = emptyFrontier()
  const nodes = nodeChecker(tables, findings)
  const checkpoints = await checkpointChecker(tables, key, findings)
  const completed: { level: number; index: number; hash: Uint8Array }[] = []
  const clock = leafClock()
  const checkSalt = saltChecker(findings)
  let expected = 0

  const isSigned = () => checkpoints.next() <= frontier.size || trusted?.size === frontier.size

  async function checkSigned(): Promise<void> {
    await checkpoints.check(frontier)
    if (trusted?.size === frontier.size && Buffer.compare(trusted.root, rootOf(frontier)) !== 0)
      findings.add('leaves', '', `The first ${trusted.size} leaves do not match the last signed checkpoint.`)
  }

  if (isSigned()) await checkSigned()
  for await (const row of tables.rows('SELECT log_index, leaf_hash, leaf FROM leaves ORDER BY log_index')) {
    const log_index = Number(row.log_index)
    const text = String(row.leaf)
    if (log_index !== expected)
      findings.add('leaves', expected, `Leaf ${expected} is missing: the next one is ${log_index}.`)
    expected = log_index + 1
    const hash = leafHash(text)
    compareColumns(findings, 'leaves', log_index, row, { leaf_hash: hash })
    append(frontier, hash, ({ level, index }, node) => {
      if (level % TILE_LEVELS === 0) completed.push({ level: level / TILE_LEVELS, index, hash: node })
    })
    if (completed.length > 0) for (const node of completed.splice(0)) await nodes.check(node)
    if (isSigned()) await checkSigned()
    const leaf = readLeaf(text)
    if (leaf === undefined) {
      findings.add('leaves', log_index, `Leaf ${log_index} is not canonical JSON.`)
      continue
    }
    checkSalt(leaf, log_index)
    yield { log_index, at_ms: clock(leaf, log_index, findings), leaf }
  }
  await checkHead(tables, frontier, clock.last_ms(), findings)
  await nodes.end()
  await checkpoints.end()
  if (trusted !== undefined && trusted.size > frontier.size)
    findings.add(
      'leaves',
      '',
      `The log has ${frontier.size} leaves, but a checkpoint over ${trusted.size} was signed: leaves are missing at the end.`,
    )
}

/** The leaf, or undefined if the text isn't in the exact form in which leaves are written. */
export function readLeaf(text: string): Leaf | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('type' in value) || !('at' in value))
      return undefined
    if (!('v' in value) || value.v !== 1 || typeof value.at !== 'string') return undefined
    // Safe: every reader checks the type of the member it reads, and the leaf type is looked up in a table.
    const leaf = value as unknown as Leaf
    return isCanonical(text, leaf) ? leaf : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the text is canonical JSON. If the members are sorted, JSON.stringify produces it, which is faster to
 * compare.
 */
function isCanonical(text: string, value: Leaf): boolean {
  if (isSorted(value) && JSON.stringify(value) === text) return text.isWellFormed()
  return canonicalJson(value) === text
}

function isSorted(value: Readonly<Record<string, unknown>>): boolean {
  let before = ''
  for (const name in value) {
    if (name < before) return false
    if (!isOrdered(value[name])) return false
    before = name
  }
  return true
}

function isOrdered(member: unknown): boolean {
  if (typeof member !== 'object' || member === null) return true
  return Array.isArray(member) ? member.every(isOrdered) : isSorted({ ...member })
}

/** Reads the time of each leaf, which must never decrease. Leaves of one batch share it. */
function leafClock() {
  let [last, last_ms] = ['', 0]
  const clock = ({ at }: Leaf, log_index: number, findings: Findings): number => {
    if (at === last) return last_ms
    const ms = Date.parse(at)
    if (Number.isNaN(ms) || new Date(ms).toISOString() !== at)
      findings.add('leaves', log_index, `Leaf ${log_index} has no valid time.`)
    else if (ms < last_ms)
      findings.add('leaves', log_index, `Leaf ${log_index} is dated earlier than the leaf before it.`)
    last = at
    last_ms = Number.isNaN(ms) ? last_ms : ms
    return last_ms
  }
  return Object.assign(clock, { last_ms: () => last_ms })
}

/** Leaves of early versions have no salt. After the first leaf with a salt, every leaf must have one. */
function saltChecker(findings: Findings) {
  let isSalted = false
  return ({ salt }: Leaf, log_index: number): void => {
    if (isLeafSalt(salt)) isSalted = true
    else if (salt !== undefined) findings.add('leaves', log_index, `Leaf ${log_index} has an invalid salt.`)
    else if (isSalted)
      findings.add('leaves', log_index, `Leaf ${log_index} has no salt, although earlier leaves have one.`)
  }
}

async function checkHead(
  tables: StoreTables,
  frontier: Frontier,
  last_ms: number,
  findings: Findings,
): Promise<void> {
  let isThere = false
  for await (const row of tables.rows('SELECT * FROM log_head')) {
    isThere = true
    // A shared store has a head from the start, because the first writer must be able to lock it.
    if (frontier.size === 0 && tables.kind === 'embedded')
      findings.add('log_head', 1, 'The log has a head but no leaves.')
    else compareColumns(findings, 'log_head', 1, row, { frontier: encodeFrontier(frontier), last_ms })
  }
  if (!isThere && (frontier.size > 0 || tables.kind === 'shared'))
    findings.add('log_head', 1, 'The log head is missing.')
}

/** Compares the stored nodes with those that follow from the leaves, level by level. */
function nodeChecker(tables: StoreTables, findings: Findings) {
  const levels = new Map<number, Cursor>()
  const onStray = (level: number) => (row: TableRow) => {
    const key = `${level}/${row.node_index}`
    findings.add('log_nodes', key, `Node ${key} is stored, but the log has no such full subtree.`)
  }

  async function cursorAt(level: number): Promise<Cursor> {
    const sql = `SELECT node_index, hash FROM log_nodes WHERE level = ${level} ORDER BY node_index`
    const cursor = levels.get(level) ?? (await cursorOver(tables.rows(sql), 'node_index', onStray(level)))
    levels.set(level, cursor)
    return cursor
  }

  return {
    async check({ level, index, hash }: { level: number; index: number; hash: Uint8Array }): Promise<void> {
      const row = await (await cursorAt(level)).take(index)
      const key = `${level}/${index}`
      if (row === undefined) findings.add('log_nodes', key, `Node ${key} of the log is missing.`)
      else compareColumns(findings, 'log_nodes', key, row, { hash })
    },
    async end(): Promise<void> {
      for (const cursor of levels.values()) await cursor.end()
      for await (const row of tables.rows('SELECT level, node_index FROM log_nodes'))
        if (!levels.has(Number(row.level))) onStray(Number(row.level))(row)
    },
  }
}

/** Checks that every stored checkpoint is signed by the log and matches its leaves. */
async function checkpointChecker(tables: StoreTables, key: NoteKey, findings: Findings) {
  const sql = 'SELECT size, root, note FROM checkpoints ORDER BY size'
  const cursor = await cursorOver(tables.rows(sql), 'size', ({ size }) =>
    findings.add(
      'checkpoints',
      String(size),
      `A checkpoint over ${size} leaves is stored, but the log is shorter.`,
    ),
  )
  return {
    next: cursor.next,
    end: cursor.end,
    async check(frontier: Frontier): Promise<void> {
      const { size } = frontier
      const row = await cursor.take(size)
      if (row === undefined) return
      const root = rootOf(frontier)
      compareColumns(findings, 'checkpoints', size, row, { root })
      try {
        const signed = await openCheckpoint(String(row.note), key)
        if (signed.size !== size || Buffer.compare(signed.root, root) !== 0)
          findings.add('checkpoints', size, `The note of checkpoint ${size} was signed over a different log.`)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        findings.add('checkpoints', size, `The note of checkpoint ${size} is not signed by the log: ${why}`)
      }
    },
  }
}
