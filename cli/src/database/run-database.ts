import { join, resolve } from 'node:path'
import {
  ExpectedFailure,
  type MoveProgress,
  migrateDatabase,
  moveToDatabase,
  type PendingMigration,
  pendingInDatabase,
  pendingInFile,
} from '@deputize/server/database'
import { UsageError } from '../client/exit.ts'
import { EXIT } from '../exit-codes.ts'
import { errorText } from '../start-problems.ts'
import { tellLeftOut } from '../terminal/left-out.ts'
import { tellMigrationWait } from '../terminal/migration-wait.ts'
import { isDatabaseUrl } from './database-url.ts'

const BAR_WIDTH = 24

export interface MigrateOptions {
  database?: string
  data?: string
  plan?: boolean
}

export interface MoveCommandOptions {
  from: string
  to?: string
  masterKey?: string
}

export async function runMigrate({ database, data, plan = false }: MigrateOptions): Promise<void> {
  if (data !== undefined && !plan)
    throw new UsageError('A data directory is migrated by the next start. --data needs --plan.')
  if (plan) return printPlan(data, database)
  const url = databaseUrl(database, '--database')
  const { address, applied } = await migrateDatabase(url, { onMigrationWait: tellMigrationWait })
  const news = applied.map((name) => `applied ${name}\n`).join('')
  process.stdout.write(news === '' ? `${address} is up to date\n` : `${news}${address} is now up to date\n`)
}

/** Prints what the next start would change in the data directory, if one is named, or in the database. */
async function printPlan(data: string | undefined, database: string | undefined): Promise<void> {
  if (data !== undefined) {
    const pending = pendingInFile(join(resolve(data), 'deputy.db'))
    process.stdout.write(planText(resolve(data), pending, ''))
    return
  }
  const { address, pending } = await pendingInDatabase(databaseUrl(database, '--database'))
  const lines = pending.map(({ name, stop_nodes }) =>
    stop_nodes === undefined ? name : `${name} (stop the old nodes first: ${stop_nodes.replace(/\.$/, '')})`,
  )
  process.stdout.write(planText(address, lines, adviceFor(pending)))
}

function planText(address: string, lines: readonly string[], advice: string): string {
  if (lines.length === 0) return `${address} is up to date. A start changes nothing.\n`
  return `A start of this version would apply to ${address}, in this order:\n${lines.map((line) => `  ${line}\n`).join('')}${advice}Nothing was changed. Take a backup first: migrations cannot be undone.\n`
}

function adviceFor(pending: readonly PendingMigration[]): string {
  if (pending.some(({ stop_nodes }) => stop_nodes !== undefined))
    return 'Stop all nodes of the old version first. A node of this version does not start while they write.\n'
  return 'Nodes of the old version can keep running. Replace them one by one.\n'
}

export async function runMove({ from, to, masterKey }: MoveCommandOptions): Promise<void> {
  const master_key = masterKey ?? process.env.DEPUTY_MASTER_KEY_FILE
  const moved = await moveToDatabase({
    data_dir: resolve(from),
    url: databaseUrl(to, '--to'),
    master_key_file: master_key === undefined ? undefined : resolve(master_key),
    checkpoint_file: process.env.DEPUTY_CHECKPOINT_FILE,
    allow_unsafe: process.env.DEPUTY_UNSAFE_DATABASE === 'I_MAY_LOSE_DATA',
    onProgress: tableProgress(process.stderr),
    onLeftOut: tellLeftOut,
    onMigrationWait: tellMigrationWait,
  })
  process.stdout.write(
    `Moved to ${moved.address}: ${moved.log_size} log entries, root ${moved.root}, every table compared.\n` +
      `Copy ${moved.master_key} to every node, then start the nodes with DEPUTY_DATABASE_URL.\n` +
      `The service no longer starts on ${resolve(from)}. Keep it until you have a backup of the database.\n`,
  )
}

function databaseUrl(given: string | undefined, option: string): string {
  const url = given ?? process.env.DEPUTY_DATABASE_URL
  if (url === undefined || !isDatabaseUrl(url))
    throw new UsageError(`${option} must be a URL like postgres://user:password@host:5432/deputy.`)
  return url
}

/** One line that is updated on a terminal, or one line for each table elsewhere. */
function tableProgress(stream: NodeJS.WriteStream): (progress: MoveProgress) => void {
  let shown = ''
  return ({ step, table, done, total }) => {
    const isWhole = done >= total
    if (!stream.isTTY) {
      if (isWhole && shown !== `${step} ${table}`) stream.write(`${step} ${table} ${done}\n`)
      if (isWhole) shown = `${step} ${table}`
      return
    }
    const filled = total === 0 ? BAR_WIDTH : Math.floor((Math.min(done, total) / total) * BAR_WIDTH)
    const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '.')
    stream.write(
      `\r\x1b[K${step.padEnd(8)}${table.padEnd(18)}[${bar}] ${done} of ${total}${isWhole ? '\n' : ''}`,
    )
  }
}

/** Prints an error and sets the exit code. */
export async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isExpected = error instanceof UsageError || error instanceof ExpectedFailure
    process.stderr.write(`${errorText(error)}\n`)
    process.exitCode = isExpected ? EXIT.config : EXIT.failed
  }
}
