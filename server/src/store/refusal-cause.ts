import { sqliteCodeOf } from '../sqlite-code.ts'

const READ_ONLY_FILE = 8
const FAILED_READ_OR_WRITE = 10

/** By code: a SQLSTATE, a system error, or a result code of SQLite. */
const CAUSES: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [
    /^25006$/,
    'The database is read-only: it has become a standby, or default_transaction_read_only is on, which some providers turn on when its disk is full.',
  ],
  [
    /^53300$/,
    'The database has no connection left: raise max_connections, or end sessions of other programs.',
  ],
  [/^(28\w{3}|3D000)$/, 'The database rejects the user, the password or the database name of this node.'],
  [/^42501$/, "This node's database user lacks a privilege."],
  [
    new RegExp(`^(EROFS|${READ_ONLY_FILE})$`),
    'The file system of the data directory is read-only. If no one did that, the operating system did it after a disk error: check the system log.',
  ],
  [
    new RegExp(`^(EIO|${FAILED_READ_OR_WRITE})$`),
    'The disk of the data directory is failing: check the system log.',
  ],
]

/** Returns why a store refuses, in a sentence that is safe to show. Undefined if the error's code doesn't say. */
export function refusalCause(error: unknown): string | undefined {
  const code = codeOf(error)
  return CAUSES.find(([codes]) => codes.test(code))?.[1]
}

function codeOf(error: unknown): string {
  const result = sqliteCodeOf(error)
  if (result !== undefined) return String(result)
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
