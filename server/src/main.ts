import { styleText } from 'node:util'
import { pino } from 'pino'
import { type Config, ConfigError, readConfig } from './config.ts'
import { MoveRefused } from './deployment/move.ts'
import { LivesElsewhere } from './deployment/moved.ts'
import { type Deputy, startDeputy } from './deputy.ts'
import { KeyFileError } from './keys/key-document.ts'
import { RolledBackError } from './log/checkpoint-file.ts'
import { CopyDiffers } from './store/move/copy.ts'
import { SourceDamaged } from './store/move/source.ts'
import { DatabaseRefused } from './store/postgres/connect.ts'
import { DirectoryInUse } from './store/sqlite/directory-lock.ts'
import { VERSION } from './version.ts'

export { type Moved, type MoveOptions, moveToDatabase } from './deployment/move.ts'
// What other commands do with a data directory of their own.
export { KeyFileError } from './keys/key-document.ts'
export { assertPrivate } from './keys/key-file.ts'
export { writeDurably } from './keys/write-durably.ts'
export type { Progress } from './store/move/copy.ts'
export { migrateDatabase } from './store/postgres/migrate-database.ts'
export { DirectoryInUse, lockDataDirectory } from './store/sqlite/directory-lock.ts'
export { VERSION }

/** Failures that were foreseen: their message is a sentence for whoever started the program. */
export const REFUSALS = [
  CopyDiffers,
  DatabaseRefused,
  LivesElsewhere,
  DirectoryInUse,
  KeyFileError,
  MoveRefused,
  RolledBackError,
  SourceDamaged,
] as const

const EXIT_FAILED = 70
const EXIT_CONFIG = 78
const DRAIN_MS = 10_000

/** Runs the service until a signal ends it. The only place that reads the environment, listens and exits. */
export async function main(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  process.umask(0o077) // whatever is created holds ids, notes or keys: it is nobody else's
  const config = settled(() => readConfig(env))
  const logger = pino({ level: config.log_level, base: null })
  try {
    const deputy = await startDeputy(config, {
      logger,
      onDeath(cause) {
        if (cause instanceof RolledBackError) stopWithout(cause.message)
        logger.fatal({ err: cause }, 'the store is lost; stopping rather than acknowledging what is not kept')
        process.exit(EXIT_FAILED)
      },
    })
    process.stdout.write(startScreen(deputy, config))
    endOnSignal(deputy)
  } catch (error) {
    refuseToStart(error, config)
  }
}

function settled<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return giveUp(error.problems, EXIT_CONFIG)
  }
}

/** Every failure gets a sentence; the stack of one that nobody foresaw is shown to those who ask for detail. */
function refuseToStart(error: unknown, { host, port, log_level }: Config): never {
  if (error instanceof ConfigError) giveUp(error.problems, EXIT_CONFIG)
  const isForeseen = REFUSALS.some((kind) => error instanceof kind)
  if (isForeseen) giveUp([messageOf(error)], EXIT_CONFIG)
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      giveUp(
        [
          `Port ${port} on ${host} is taken. Stop the other program, or choose another port: PORT=8421 npm start`,
        ],
        EXIT_CONFIG,
      )
      break
    case 'EACCES':
    case 'EROFS':
      giveUp(
        [`${messageOf(error)}. Choose a directory that can be written with DEPUTY_DATA_DIR.`],
        EXIT_CONFIG,
      )
  }
  const isDetailed = log_level === 'debug' || log_level === 'trace'
  giveUp([isDetailed && error instanceof Error ? String(error.stack) : messageOf(error)], EXIT_FAILED)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function giveUp(problems: readonly string[], code: number): never {
  process.stderr.write(`Deputy cannot start.\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
  process.exit(code)
}

/** Ends at once, in words that an operator finds whatever the log level. */
function stopWithout(problem: string): never {
  process.stderr.write(`Deputy stops.\n  - ${problem}\n`)
  process.exit(EXIT_FAILED)
}

function endOnSignal(deputy: Deputy): void {
  let isEnding = false
  const end = async () => {
    if (isEnding) return
    isEnding = true
    setTimeout(() => process.exit(EXIT_FAILED), DRAIN_MS).unref()
    await deputy.close()
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  // A file-size limit then fails one write instead of ending the process.
  if (process.platform !== 'win32') process.on('SIGXFSZ', () => {})
}

function startScreen({ address, description, setup_secret }: Deputy, { access, public_url }: Config): string {
  const dim = (text: string) => styleText('dim', text)
  const lines = description.map(({ name, text }) => `  ${dim(name)}${' '.repeat(10 - name.length)}${text}`)
  return `
  ${styleText('bold', 'Deputy')} ${VERSION}

  ${dim('address')}   ${address}
  ${dim('docs')}      ${address}/docs
${lines.join('\n')}
  ${dim('access')}    ${access}: ${ACCESS_IN_WORDS[access]}
${access === 'open' ? firstCall(address) : firstOperator(public_url, setup_secret)}
`
}

const ACCESS_IN_WORDS: Readonly<Record<Config['access'], string>> = {
  open: 'programs on this machine may call without a credential',
  keyed: 'every call carries a credential',
}

function firstCall(address: string): string {
  return `
  Your first call, in another terminal:

  curl -s ${address}/v1/vat/issue/l1 -H 'Content-Type: application/json' -d '{
    "developer_email": "dev@example.com",
    "agent_id": "calendar-bot",
    "resources": ["calendar:events"],
    "actions": ["read", "write"]
  }'
`
}

function firstOperator(public_url: string, setup_secret: string | undefined): string {
  if (setup_secret === undefined) return ''
  return `
  Nobody has a key yet. This makes the first one, for an operator. The secret works once:

  curl -s ${public_url}/v1/vat/setup -H 'Content-Type: application/json' -d '{
    "setup_secret": "${setup_secret}"
  }'
`
}

if (import.meta.main) await main(process.env)
