import { openTelemetry } from '@deputize/sdk/opentelemetry'
import { type Gate, gate } from './gate.ts'
import {
  foreignEnvironment,
  type GuardOptions,
  type GuardSettings,
  type Listening,
  readGuardSettings,
  SettingsError,
} from './guard-settings.ts'
import { guardHttp } from './http-guard.ts'
import { type Ending, guardStdio } from './stdio-guard.ts'
import { flushTraces } from './traces.ts'

const EXIT_FAILED = 70
const EXIT_CONFIG = 78

/** Runs the guard until the server ends, or over HTTP until a signal does. */
export async function runGuard(options: GuardOptions, command: readonly string[]): Promise<void> {
  try {
    const settings = await readGuardSettings(options, command, process.env)
    const { authority, rules, listening } = settings
    const { client, jti, agent_id } = authority
    const opened = gate({ client, jti, agent_id, rules, tracing: openTelemetry(), say })
    if (listening !== undefined) return await listen(listening, settings, opened)
    const [name = '', ...args] = command
    const ending = await guard([name, ...args], settings, opened)
    await flushTraces()
    endLike(ending)
  } catch (error) {
    refuseToStart(error, command)
  }
}

function guard(
  command: readonly [string, ...string[]],
  { hide_denied }: GuardSettings,
  gate: Gate,
): Promise<Ending> {
  return guardStdio({
    command,
    env: foreignEnvironment(process.env),
    gate,
    hide_denied,
    say,
    input: process.stdin,
    output: process.stdout,
  })
}

async function listen(listening: Listening, { hide_denied }: GuardSettings, gate: Gate): Promise<void> {
  const http = await guardHttp({ ...listening, gate, hide_denied, say })
  say(`Listening. Clients connect to ${http.url}`)
  const end = () =>
    void http
      .close()
      .then(flushTraces)
      .then(() => process.exit(0))
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Standard output belongs to the protocol. */
function say(text: string): void {
  process.stderr.write(`deputy mcp-guard: ${text}\n`)
}

function endLike({ code, signal }: Ending): never {
  if (signal !== null) process.kill(process.pid, signal)
  process.exit(code ?? EXIT_FAILED)
}

function refuseToStart(error: unknown, [name]: readonly string[]): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  const problems =
    error instanceof SettingsError
      ? error.problems
      : [code === 'ENOENT' ? `There is no program ${name}.` : message]
  process.stderr.write(`The guard cannot start.\n${problems.map((problem) => `  - ${problem}\n`).join('')}`)
  process.exit(error instanceof SettingsError || code !== undefined ? EXIT_CONFIG : EXIT_FAILED)
}
