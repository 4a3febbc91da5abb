import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { type Postgres, startPostgres } from '@deputize/testing/postgres.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { type Node, someNodes } from '@deputize/testing/some-nodes.ts'

/** For a long run: WEBHOOK_EVENTS=100000. */
const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 600)
const WORKFLOWS = 20
const BATCH = 100
/** What is killed in turn while events arrive. */
const VICTIMS = ['node', 'receiver', 'database'] as const
const KILLS = EVENTS > 10_000 ? 12 : 3
const PATIENCE_MS = 240_000 + EVENTS * 20

const RECEIVER = new URL('webhook-receiver.ts', import.meta.url)

interface KillableReceiver {
  start(): Promise<void>
  kill(): Promise<void>
}

/** A receiver in its own process. It writes every message to a file before it answers. */
function aKillableReceiver(scope: TestScope, port: number, file: string): KillableReceiver {
  let child: ChildProcess | undefined
  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  scope.after(kill)
  return {
    kill,
    async start() {
      // Without the options of this process, which would run the receiver as a test and stop it.
      child = fork(RECEIVER, [String(port), file], {
        execArgv: [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      await once(child, 'message')
    },
  }
}

interface Received {
  readonly id: string
  readonly log_index: number
  readonly provenance_ref: string | undefined
}

function receivedIn(file: string): Received[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line)) // a kill may leave half a line, which was not answered
}

test('no event is lost and each workflow stays in order while the node, the receiver and the database are killed', {
  timeout: 2 * PATIENCE_MS,
}, async (t) => {
  const directory = temporaryDirectory(t)
  chmodSync(directory, 0o755) // the server runs as another user if the test runs as root
  const settings = { directory: join(directory, 'postgres') }
  let postgres: Postgres = await startPostgres(settings)
  t.after(() => postgres.stop())
  const port = await freePort()
  const file = join(temporaryDirectory(t), 'received.jsonl')
  const receiver = aKillableReceiver(t, port, file)
  await receiver.start()
  const env = { DEPUTY_OUTBOUND_ALLOW: `127.0.0.1:${port}`, DEPUTY_LOG_LEVEL: 'silent' }
  const cluster = await someNodes(t, 2, { url: postgres.url(), env })
  const nodes: Node[] = [...cluster.nodes]

  /** Calls a node until one answers. The key keeps a repeated call from taking effect twice. */
  async function call(path: string, body: unknown, key: string) {
    return eventually(
      `an answer to ${path}`,
      async () => {
        for (const { client } of nodes) {
          const answer = await client.post(path, body, { 'idempotency-key': key }).catch(() => undefined)
          assert.ok(
            answer === undefined || answer.status < 400 || answer.status >= 500,
            JSON.stringify(answer?.body),
          )
          if (answer !== undefined && answer.status < 300) return answer.body
        }
        return undefined
      },
      PATIENCE_MS,
    )
  }

  await call('/v1/vat/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['action.completed'] }, 'hook')
  const tokens = await Promise.all(
    Array.from({ length: WORKFLOWS }, (_, number) =>
      call(
        '/v1/vat/issue/l1',
        {
          developer_email: 'dev@example.com',
          agent_id: `bot-${number}`,
          resources: ['a:b'],
          actions: ['read'],
        },
        `token-${number}`,
      ),
    ),
  )

  const restart = {
    async node() {
      const [victim] = nodes
      assert.ok(victim)
      await victim.program.kill()
      nodes.push(await cluster.aNode(victim.directory))
      nodes.shift()
    },
    async receiver() {
      await receiver.kill()
      await receiver.start()
    },
    async database() {
      await postgres.kill()
      const { port } = postgres
      // Its other processes may end a moment after the first.
      postgres = await eventually('the database is back', () =>
        startPostgres({ ...settings, port }).catch(() => undefined),
      )
    },
  }

  let killing: Promise<void> = Promise.resolve()
  const batches = EVENTS / BATCH
  for (let batch = 0; batch < batches; batch++) {
    const items = Array.from({ length: BATCH }, (_, number) => ({
      vat_jti: tokens[number % WORKFLOWS].jti,
      action: 'read',
      resource: 'a:b',
      result: 'success',
    }))
    const kills_before = Math.floor((batch * KILLS) / batches)
    const kills_after = Math.floor(((batch + 1) * KILLS) / batches)
    if (kills_after > kills_before) {
      await killing
      const what = VICTIMS[kills_before % VICTIMS.length] ?? 'node'
      killing = restart[what]()
    }
    await call('/v1/vat/record/batch', { items }, `batch-${batch}`)
  }
  await killing

  const first = new Map<string, Received>()
  let messages = 0
  await eventually(
    'every event',
    () => {
      const all = receivedIn(file)
      messages = all.length
      for (const one of all) if (!first.has(one.id)) first.set(one.id, one)
      return first.size >= EVENTS
    },
    PATIENCE_MS,
  )
  assert.equal(first.size, EVENTS)
  const last = new Map<unknown, number>()
  for (const { provenance_ref, log_index } of first.values()) {
    assert.ok(
      (last.get(provenance_ref) ?? -1) < log_index,
      `${provenance_ref} is out of order at ${log_index}`,
    )
    last.set(provenance_ref, log_index)
  }
  assert.equal(last.size, WORKFLOWS)
  t.diagnostic(`${EVENTS} events, ${messages} messages, ${KILLS} kills`)
})
