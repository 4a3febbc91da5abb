import { styleText } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { type Logger, pino } from 'pino'
import { renderUnicodeCompact } from 'uqr'
import { type Config, ConfigError, readConfig, restoreWarning } from './config.ts'
import { type RunningDeputy, startDeputy } from './deputy.ts'
import { EXIT_CONFIG, EXIT_FAILED } from './exit-code.ts'
import { ExpectedFailure } from './expected-failure.ts'
import { LOCAL_HOSTS } from './loopback.ts'
import { startProblem } from './start-problem.ts'
import { VERSION } from './version.ts'

const DRAIN_MS = 10_000

/** Runs the service until a signal stops it. Only this file reads the environment and exits the process. */
export async function main(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  // V8 would collect new objects when their space is 80 % full. Once it is full, fewer of them still live.
  setFlagsFromString('--no-minor-gc-task')
  process.umask(0o077) // created files hold ids, notes and keys, so only this user may read them
  const config = configOrExit(env)
  const logger = pino({ level: config.log_level, base: null })
  try {
    const deputy = await startDeputy(config, {
      logger,
      onDeath(cause) {
        if (cause instanceof ExpectedFailure) stopAtOnce(cause.message)
        logger.fatal({ err: cause }, 'store lost: stopping, because changes can no longer be made durable')
        process.exit(EXIT_FAILED)
      },
    })
    const warning = restoreWarning(config)
    if (warning !== undefined) logger.warn(warning)
    logger.info({ version: VERSION, address: deputy.address, access: config.access }, 'started')
    stopOnSignal(deputy, logger) // first: a reader of the start screen may send a signal at once
    process.stdout.write(startScreen(deputy, config))
  } catch (error) {
    refuseToStart(error, config)
  }
}

function configOrExit(env: Readonly<Record<string, string | undefined>>): Config {
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return giveUp(error.problems, EXIT_CONFIG)
  }
}

/** Prints one sentence for every failure. The stack of an unexpected one is shown at log level debug. */
function refuseToStart(error: unknown, config: Config): never {
  if (error instanceof ConfigError) giveUp(error.problems, EXIT_CONFIG)
  const { text, exit_code } = startProblem(error, config)
  const isDetailed = config.log_level === 'debug' || config.log_level === 'trace'
  const shown = exit_code === EXIT_FAILED && isDetailed && error instanceof Error ? String(error.stack) : text
  giveUp([shown], exit_code)
}

function giveUp(problems: readonly string[], code: number): never {
  process.stderr.write(`Deputy cannot start.\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
  process.exit(code)
}

/** Exits at once, with a message that is printed at every log level. */
function stopAtOnce(problem: string): never {
  process.stderr.write(`Deputy stopped.\n  - ${problem}\n`)
  process.exit(EXIT_FAILED)
}

function stopOnSignal(deputy: RunningDeputy, logger: Logger): void {
  let isStopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return
    isStopping = true
    logger.info({ signal }, 'stopping: requests in progress are answered')
    setTimeout(() => {
      logger.error({ after_ms: DRAIN_MS }, 'stopped before everything was done: it took too long')
      process.exit(EXIT_FAILED)
    }, DRAIN_MS).unref()
    await deputy.close()
    logger.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // With a handler, exceeding the file-size limit fails one write instead of killing the process.
  if (process.platform !== 'win32') process.on('SIGXFSZ', () => {})
}

function startScreen(
  { address, public_url, description, setup_secret }: RunningDeputy,
  config: Config,
): string {
  const { access } = config
  const warning = restoreWarning(config)
  const dim = (text: string) => styleText('dim', text)
  const lines = description.map(({ name, text }) => `  ${dim(name)}${' '.repeat(10 - name.length)}${text}`)
  return `
  ${styleText('bold', 'Deputy')} ${VERSION}

  ${dim('address')}   ${public_url}${public_url === address ? '' : ` (listens on ${address})`}
  ${dim('app')}       ${public_url}/app
  ${dim('docs')}      ${public_url}/docs
${lines.join('\n')}
  ${dim('access')}    ${access}: ${ACCESS_LINES[access]}${warning === undefined ? '' : `\n  ${dim('warning')}   ${warning}`}
${access === 'open' ? firstCallHint(address) : setUpHint(public_url, setup_secret)}
`
}

const ACCESS_LINES: Readonly<Record<Config['access'], string>> = {
  open: 'programs on this machine can call without a credential',
  keyed: 'every call needs a credential',
}

function firstCallHint(address: string): string {
  return `
  Make your first call from another terminal:

  curl -s ${address}/v1/vat/issue/l1 -H 'Content-Type: application/json' -d '{
    "developer_email": "dev@example.com",
    "agent_id": "calendar-bot",
    "resources": ["calendar:events"],
    "actions": ["read", "write"]
  }'
`
}

function setUpHint(public_url: string, setup_secret: string | undefined): string {
  if (setup_secret === undefined) return ''
  const link = `${public_url}/setup#${setup_secret}`
  return `
  Open this link to create the first operator key and sign in. It works once:

  ${link}
${qrCodeOf(link)}
  Or without a browser:

  curl -s ${public_url}/v1/vat/setup -H 'Content-Type: application/json' -d '{
    "setup_secret": "${setup_secret}"
  }'
`
}

/** Returns a QR code of the link for a phone, which can't reach this machine by a loopback name. */
function qrCodeOf(link: string): string {
  if (!process.stdout.isTTY || LOCAL_HOSTS.includes(new URL(link).hostname)) return ''
  const lines = renderUnicodeCompact(link, { ecc: 'L', border: 1 }).split('\n')
  return `\n${lines.map((line) => `  ${line}\n`).join('')}`
}

if (import.meta.main) await main(process.env)
