import { openTelemetry } from '@deputize/sdk/opentelemetry'
import { UsageError } from '../client/exit.ts'
import { EXIT } from '../exit-codes.ts'
import { errorText, exitWithProblems, StartError } from '../start-problems.ts'
import { callAuthorizer } from './call-authorizer.ts'
import { environmentForServer, type McpGuardOptions, readGuardSettings } from './guard-settings.ts'
import { guardHttp, type HttpGuardOptions } from './http-guard.ts'
import { guardStdio, type ServerExit } from './stdio-guard.ts'
import { flushTraces } from './traces.ts'

/** Runs the guard until the server exits or, over HTTP, until a signal. */
export async function runGuard(options: McpGuardOptions, command: readonly string[]): Promise<void> {
  try {
    const { authority, mapping, hide_denied, listening } = await readGuardSettings(
      options,
      command,
      process.env,
    )
    const { client, jti, agent_id } = authority
    const authorizer = callAuthorizer({ client, jti, agent_id, mapping, tracing: openTelemetry(), say })
    const { methods } = mapping
    if (listening !== undefined) return await listen({ ...listening, hide_denied, methods, authorizer, say })
    const [name = '', ...args] = command
    const exit = await guardStdio({
      command: [name, ...args],
      env: environmentForServer(process.env),
      authorizer,
      hide_denied,
      methods,
      say,
      input: process.stdin,
      output: process.stdout,
    })
    await flushTraces()
    exitLike(exit)
  } catch (error) {
    exitWithProblems('The guard', ...startProblems(error, command))
  }
}

async function listen(options: HttpGuardOptions): Promise<void> {
  const http = await guardHttp(options)
  say(`Listening. Clients connect to ${http.url}`)
  const close = () =>
    void http
      .close()
      .then(flushTraces)
      .then(() => process.exit(0))
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
}

/** Prints to standard error, because standard output carries the protocol. */
function say(text: string): void {
  process.stderr.write(`deputy mcp-guard: ${text}\n`)
}

function exitLike({ code, signal }: ServerExit): never {
  if (signal !== null) process.kill(process.pid, signal)
  process.exit(code ?? EXIT.failed)
}

/** Why the guard cannot start, and the exit code. */
function startProblems(
  error: unknown,
  [program]: readonly string[],
): [problems: readonly string[], exit_code: number] {
  if (error instanceof StartError) return [error.problems, EXIT.config]
  if (error instanceof UsageError) return [[error.message], EXIT.usage]
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return [[`The program ${program} was not found.`], EXIT.config]
  return [[errorText(error)], code === undefined ? EXIT.failed : EXIT.config]
}
