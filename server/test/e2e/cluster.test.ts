import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { freePorts } from '@deputize/testing/free-port.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const RUN = fileURLToPath(new URL('../../../cluster/run.ts', import.meta.url))
const START_MS = 90_000
const BACK_MS = 60_000
const END_MS = 60_000
const CALL_MS = 30_000

interface Cluster {
  readonly process: ChildProcess
  readonly directory: string
  /** Of the balancer, then of the nodes. */
  readonly ports: readonly number[]
  output(): string
  /** Waits until the output matches, and resolves to all of it. */
  printed(what: RegExp, within_ms: number): Promise<string>
  /** Sends a signal and resolves to the exit code. */
  end(): Promise<number | null>
}

/** Starts the command as a user does. All its processes end with the test. */
async function aCluster(context: TestContext): Promise<Cluster> {
  const directory = temporaryDirectory(context)
  const ports = await freePorts(3)
  const child = spawn(process.execPath, [RUN], {
    env: { PATH: process.env.PATH, PORT: String(ports[0]), DEPUTY_DATA_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(() => {
    for (const pid of processesOf(directory)) process.kill(pid, 'SIGKILL')
  })
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  return {
    process: child,
    directory,
    ports,
    output: () => output,
    async printed(what, within_ms) {
      await until(
        () => what.test(output),
        within_ms,
        () => `${what} was not printed:\n${output}`,
      )
      return output
    },
    async end() {
      child.kill('SIGTERM')
      await within(exited, END_MS, () => `it did not end:\n${output}`)
      return child.exitCode
    },
  }
}

async function until(isSo: () => boolean, within_ms: number, problem: () => string): Promise<void> {
  const end = Date.now() + within_ms
  while (!isSo()) {
    assert.ok(Date.now() < end, problem())
    await sleep(50)
  }
}

async function within<T>(answer: Promise<T>, most_ms: number, problem: () => string): Promise<T> {
  const isOver = new AbortController()
  const late = sleep(most_ms, undefined, { signal: isOver.signal }).then(() => assert.fail(problem()))
  try {
    return await Promise.race([answer, late])
  } finally {
    isOver.abort()
    late.catch(() => {})
  }
}

/** Listens for a moment and resolves to the port. */
async function listening(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, 'close')
  return address.port
}

async function isFree(port: number): Promise<boolean> {
  try {
    await listening(port)
    return true
  } catch {
    return false
  }
}

/** Every process that runs in the directory or has it in its arguments. */
function processesOf(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isOf(pid, directory))
}

function isOf(pid: number, directory: string): boolean {
  const looks = [
    () => readFileSync(`/proc/${pid}/environ`, 'utf8'),
    () => readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    () => readlinkSync(`/proc/${pid}/cwd`),
  ]
  return looks.some((look) => {
    try {
      return look().includes(directory)
    } catch {
      return false // it has ended, or belongs to another user
    }
  })
}

/** The printed commands that start with one of these texts, each with all its lines. */
function commands(output: string, ...beginnings: readonly string[]): string {
  const found = output
    .split('\n\n')
    .map((part) => part.trim())
    .filter((part) => beginnings.some((beginning) => part.startsWith(beginning)))
  assert.equal(found.length, beginnings.length, output)
  return found.join('\n')
}

async function bash(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], { timeout: CALL_MS })
  return stdout
}

async function assertNothingLeft({ directory, ports }: Cluster, more: readonly number[]): Promise<void> {
  assert.deepEqual(processesOf(directory), [])
  for (const port of [...ports, ...more]) assert.ok(await isFree(port), `port ${port} is still taken`)
}

describe('npm run cluster', () => {
  test('does what it prints, survives a killed node, and leaves nothing behind', async (context) => {
    const cluster = await aCluster(context)
    const screen = await cluster.printed(/Ctrl-C stops everything/, START_MS)
    const database = Number(/store\s+postgres:\/\/\S+:(\d+)\//.exec(screen)?.[1])
    assert.ok(processesOf(cluster.directory).length > 3, 'the processes are not found')

    const answers = await bash(
      commands(screen, 'JTI=', 'curl -s http://127.0.0.1:'.concat(String(cluster.ports[2]))),
    )
    assert.match(answers, /"revoked":true/)
    assert.match(answers, /token_revoked/)

    const balancer = httpClient(context, `http://127.0.0.1:${cluster.ports[0]}`)
    const issued = await balancer.post('/v1/vat/issue/l1', anIssueRequest())
    assert.equal(issued.status, 200, JSON.stringify(issued.body))
    assert.match(await bash(commands(screen, 'kill -9')), /ready/)
    const action = {
      vat_jti: issued.body.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    }
    await cluster.printed(new RegExp(`node ${cluster.ports[1]} exited \\(SIGKILL\\)`), CALL_MS)
    for (let call = 0; call < 10; call += 1) {
      const { status, body } = await balancer.post('/v1/vat/record/action', action)
      assert.deepEqual([status, body.recorded], [200, true])
    }
    await cluster.printed(new RegExp(`node ${cluster.ports[1]} is back`), BACK_MS)
    const again = httpClient(context, `http://127.0.0.1:${cluster.ports[1]}`)
    assert.equal((await again.post('/v1/vat/record/action', action)).body.recorded, true)

    again.close()
    balancer.close()
    assert.equal(await cluster.end(), 0, cluster.output())
    await assertNothingLeft(cluster, [database])
  })

  test('leaves nothing behind when it is stopped during its start', async (context) => {
    for (let hasStarted = true, attempt = 0; hasStarted; attempt += 1) {
      assert.ok(attempt < 4, 'it had started each time')
      const cluster = await aCluster(context)
      const node = join(cluster.directory, 'cluster', `node-${cluster.ports[1]}`)
      await until(
        () => existsSync(node),
        START_MS,
        () => `no node was started:\n${cluster.output()}`,
      )
      assert.equal(await cluster.end(), 0, cluster.output())
      await assertNothingLeft(cluster, [])
      hasStarted = cluster.output().includes('Ctrl-C stops everything') // before the signal arrived
    }
  })

  test('leaves nothing behind when its port is taken', async (context) => {
    const cluster = await aCluster(context)
    const taken = createServer().listen(cluster.ports[0], '127.0.0.1')
    context.after(() => void taken.close())
    const [code] = await within(once(cluster.process, 'exit'), START_MS, cluster.output)
    assert.equal(code, 1)
    assert.match(cluster.output(), /EADDRINUSE/)
    taken.close()
    await once(taken, 'close')
    await assertNothingLeft(cluster, [])
  })
})
