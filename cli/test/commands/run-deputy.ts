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

/** Without anything of this machine's user. */
function environment(env: Variables): Variables {
  return { PATH: process.env.PATH ?? '', XDG_CONFIG_HOME: '/nowhere', ...env }
}

/** The command as a shell runs it, without a terminal. */
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
 * As `runDeputy`. The first run of each command is a process, which shows that the command starts, writes everything and
 * ends by itself. Those after it run in the test's process: starting Node is most of what a command costs.
 */
export function runCommand(args: readonly string[], env: Variables = {}): Promise<Run> {
  const [name = ''] = args
  if (started.has(name)) return runInside(args, environment(env))
  started.add(name)
  return runDeputy(args, env)
}

/** A service to call, with what its answers look like as plain words and as JSON. */
export function callerOf(url: string, credentials: readonly string[] = []) {
  const run = (...args: string[]) => runCommand([...args, '--url', url, ...credentials])
  return {
    run,
    /** Plain words of a call that ends with this code. */
    async words(status: number, ...args: string[]): Promise<string> {
      const { stdout, stderr, ...ended } = await run(...args)
      assert.equal(ended.status, status, `${args.join(' ')}\n${stdout}${stderr}`)
      return stdout + stderr
    },
    /** The answer of the service as JSON. */
    async json(status: number, ...args: string[]) {
      const { stdout, stderr, ...ended } = await run(...args, '--json')
      assert.equal(ended.status, status, `${args.join(' ')}\n${stdout}${stderr}`)
      assert.equal(stderr, '')
      return JSON.parse(stdout)
    },
  }
}

/** What a reader sees, with ids, digests and times replaced by what kind they are. */
export function withoutIds(text: string): string {
  return text
    .replaceAll(/\b(vat_root|vat_sub|prov|aar|den|apr)_[0-9a-v]{36}/g, '$1_*')
    .replaceAll(/sha256:[0-9a-f]+/g, 'sha256:*')
    .replaceAll(/\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} UTC/g, '<time>')
}
