import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '@deputize/testing/eventually.ts'
import { CLI } from '@deputize/testing/programs.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export interface Listener {
  readonly child: ChildProcess
  words(): string
}

/** Starts a program, and waits until it reports on standard error that it is listening. */
export async function aListener(
  scope: TestScope,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Listener> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  scope.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let words = ''
  child.stderr?.on('data', (chunk) => {
    words += chunk
  })
  await eventually(`the start of ${args}`, async () => (/listening/i.test(words) ? true : undefined))
  return { child, words: () => words }
}

export interface ListeningGuard extends Listener {
  /** The URL that clients connect to. */
  readonly guard: string
}

/** The guard over HTTP, in front of a server that listens. */
export async function aGuard(
  scope: TestScope,
  url: string,
  upstream: string,
  token: string,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<ListeningGuard> {
  const places = ['--url', url, '--listen', '127.0.0.1:0', '--upstream', upstream]
  const { words, child } = await aListener(
    scope,
    [CLI, 'mcp-guard', '--server', 'everything', ...places, ...options],
    { DEPUTY_TOKEN: token, ...env },
  )
  const [guard = ''] = /http:\S+/.exec(words().slice(words().indexOf('Listening'))) ?? []
  return { guard, words, child }
}

/** The official client over HTTP. */
export async function connected(
  scope: TestScope,
  guard: string,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'a-test', version: '1.0.0' }, options)
  scope.after(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(guard)))
  return client
}
