import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CLI } from '@deputize/testing/programs.ts'
import { runInside } from './run-inside.ts'

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

type Variables = Readonly<Record<string, string>>

/** An environment without any files or settings of this machine's user. */
function environment(env: Variables): Variables {
  return { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: '/nowhere', ...env }
}

/** Runs the command as a shell does, without a terminal. */
export async function runDeputy(args: readonly string[], env: Variables = {}): Promise<Run> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text
    })
  const [status] = await once(child, 'close')
  return { status, ...printed }
}

const started = new Set<string>()

/**
 * Like `runDeputy`. The first run of each command is a process, which shows that the command starts, writes everything
 * and exits by itself. Later runs share the test's process, because starting Node is most of the cost of a command.
 */
export function runCommand(args: readonly string[], env: Variables = {}): Promise<Run> {
  const [name = ''] = args
  if (started.has(name)) return runInside(args, environment(env))
  started.add(name)
  return runDeputy(args, env)
}

/** Runs commands against a service, with text or JSON as output. */
export function callerOf(url: string, credentials: readonly string[] = []) {
  const run = (...args: string[]) => runCommand([...args, '--url', url, ...credentials])
  return {
    run,
    /** The printed text of a command that must exit with `status`. */
    async words(status: number, ...args: string[]): Promise<string> {
      const { stdout, stderr, ...ended } = await run(...args)
      assert.equal(ended.status, status, `${args.join(' ')}\n${stdout}${stderr}`)
      return stdout + stderr
    },
    /** The service's answer as JSON, from a command that must exit with `status`. */
    async json(status: number, ...args: string[]) {
      const { stdout, stderr, ...ended } = await run(...args, '--json')
      assert.equal(ended.status, status, `${args.join(' ')}\n${stdout}${stderr}`)
      assert.equal(stderr, '')
      return JSON.parse(stdout)
    },
  }
}

/** The text with IDs, digests and times replaced by placeholders for their kind. */
export function withoutIds(text: string): string {
  return text
    .replaceAll(/\b(vat_root|vat_sub|prov|aar|den|apr)_[0-9a-v]{36}/g, '$1_*')
    .replaceAll(/sha256:[0-9a-f]+/g, 'sha256:*')
    .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g, '<time>')
}
