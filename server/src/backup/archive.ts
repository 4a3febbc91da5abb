import { createHash, type Hash } from 'node:crypto'
import { decodeFrontier, encodeFrontier } from '@deputize/protocol'
import type { KeyDocument } from '../keys/key-document.ts'
import type { ArchivedHead, ArchiveSource } from '../store/archive/archive-source.ts'
import {
  ARCHIVED_TABLES,
  type ArchivedColumn,
  type ArchivedTable,
  archivedTable,
} from '../store/archive/archived-tables.ts'
import type { TableName } from '../store/tables.ts'
import type { Row } from '../store/values.ts'
import { BackupUnreadable } from './sealed-file.ts'

/**
 * The content of a backup is lines of JSON: an opening with the keys and the head of the log; for each table a line
 * with its columns, then one line for each row; and an ending with the number and the digest of each table's rows.
 */

/** The secrets of the deployment and the end of its log. */
export interface Opening {
  readonly keys: KeyDocument
  readonly head: ArchivedHead
}

/** How many rows of a table a backup holds, and the SHA-256 of their lines. */
export interface TableDigest {
  readonly rows: number
  readonly sha256: string
}

export type TableDigests = Readonly<Partial<Record<TableName, TableDigest>>>

/** Called from time to time with the number of rows so far. */
export type OnRows = (rows: number) => void

const ROWS_PER_REPORT = 1_000
/** Lines are joined before they are passed on, because each piece costs a turn of the event loop. */
const PIECE_CHARACTERS = 64 * 1024

/** Yields the lines of everything in the store. */
export async function* archiveLines(
  source: ArchiveSource,
  keys: KeyDocument,
  onRows: OnRows,
): AsyncGenerator<Buffer> {
  const head = { ...source.head, frontier: base64(encodeFrontier(source.head.frontier)) }
  yield Buffer.from(`${JSON.stringify({ keys, head })}\n`)
  const digests: Partial<Record<TableName, TableDigest>> = {}
  let all = 0
  for (const name of ARCHIVED_TABLES) {
    const table = archivedTable(name)
    yield Buffer.from(`${JSON.stringify(table)}\n`)
    const digest = rowDigest()
    let piece = ''
    for await (const row of source.rows(table)) {
      piece += rowLine(row, table.columns)
      all += 1
      digest.count()
      if (all % ROWS_PER_REPORT === 0) onRows(all)
      if (piece.length < PIECE_CHARACTERS) continue
      yield digest.add(piece)
      piece = ''
    }
    if (piece !== '') yield digest.add(piece)
    digests[name] = digest.end()
  }
  yield Buffer.from(`${JSON.stringify({ end: digests })}\n`)
}

function rowDigest() {
  const hash: Hash = createHash('sha256')
  let rows = 0
  return {
    count: () => {
      rows += 1
    },
    add(text: string): Buffer {
      const bytes = Buffer.from(text)
      hash.update(bytes)
      return bytes
    },
    end: (): TableDigest => ({ rows, sha256: hash.digest('hex') }),
  }
}

function rowLine(row: Row, columns: readonly ArchivedColumn[]): string {
  const values = columns.map(({ name, type }) => {
    const value = row[name]
    return type === 'bytes' && value instanceof Uint8Array ? base64(value) : value
  })
  return `${JSON.stringify(values)}\n`
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Receives the content of a backup, in this order. */
export interface ArchiveReceiver {
  opening(opening: Opening): Promise<void> | void
  table(table: ArchivedTable): Promise<void> | void
  row(row: Row): Promise<void> | void
}

/** Reads a whole archive, compares its counts and digests, and returns them. */
export async function readRows(
  lines: AsyncIterable<string>,
  receiver: ArchiveReceiver,
  onRows: OnRows,
): Promise<TableDigests> {
  const found: Partial<Record<TableName, TableDigest>> = {}
  let stage: { readonly table: ArchivedTable; readonly digest: ReturnType<typeof rowDigest> } | undefined
  let said_digests: TableDigests | undefined
  let isOpened = false
  let all = 0
  // Keeps reading after the ending, because only then is it certain that the file has not been cut or extended.
  for await (const line of lines) {
    if (said_digests !== undefined) throw malformed()
    if (line.startsWith('[')) {
      if (stage === undefined) throw malformed()
      stage.digest.count()
      stage.digest.add(`${line}\n`)
      await receiver.row(rowOf(JSON.parse(line), stage.table.columns))
      all += 1
      if (all % ROWS_PER_REPORT === 0) onRows(all)
      continue
    }
    const said = JSON.parse(line)
    if (stage !== undefined) found[stage.table.table] = stage.digest.end()
    stage = undefined
    if (said.end !== undefined) {
      said_digests = compared(found, said.end)
      continue
    }
    if (!isOpened) {
      await receiver.opening({ keys: said.keys, head: headIn(said.head) })
      isOpened = true
      continue
    }
    if (!ARCHIVED_TABLES.includes(said.table)) throw malformed()
    stage = { table: said, digest: rowDigest() }
    await receiver.table(said)
  }
  if (said_digests === undefined) throw malformed()
  return said_digests
}

function headIn({ frontier, last_ms }: { frontier: string; last_ms: number }): ArchivedHead {
  return { frontier: decodeFrontier(Buffer.from(frontier, 'base64')), last_ms }
}

function rowOf(values: readonly unknown[], columns: readonly ArchivedColumn[]): Row {
  const row: Record<string, unknown> = {}
  for (const [index, { name, type }] of columns.entries()) {
    const value = values[index]
    row[name] = type === 'bytes' && typeof value === 'string' ? Buffer.from(value, 'base64') : value
  }
  return row
}

/**
 * Throws unless the rows match the listed digests. Someone with the passphrase could make a file that lacks rows; the
 * program itself never does.
 */
function compared(found: TableDigests, said: TableDigests): TableDigests {
  for (const [name, { rows, sha256 }] of Object.entries(said)) {
    const own = found[name as TableName] // an unknown table has no digest, and is refused
    if (own?.rows !== rows || own.sha256 !== sha256)
      throw new BackupUnreadable(
        `The backup does not hold the rows of ${name} that it lists. Use another copy.`,
      )
  }
  return said
}

function malformed(): BackupUnreadable {
  return new BackupUnreadable(
    'The backup is not complete: its content is too short or too long. Use another copy.',
  )
}

/** Yields the lines of a byte stream, without their line ends. */
export async function* jsonLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const piece of source) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    const end = bytes.lastIndexOf(0x0a)
    if (end < 0) {
      rest.push(bytes)
      continue
    }
    const whole = Buffer.concat([...rest, bytes.subarray(0, end)]).toString()
    rest = [bytes.subarray(end + 1)]
    yield* whole.split('\n')
  }
  const last = Buffer.concat(rest).toString()
  if (last !== '') yield last
}
