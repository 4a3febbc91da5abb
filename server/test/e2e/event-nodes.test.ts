import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { get } from 'node:http'
import { getPriority } from 'node:os'
import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { anEventStream } from '@deputize/testing/an-event-stream.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { type Node, someNodes } from '@deputize/testing/some-nodes.ts'

const TOKEN = {
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read'],
}
const READ = { action: 'read', resource: 'calendar:events', result: 'success' }

async function issuedAt({ client }: Node): Promise<string> {
  const { status, body } = await client.post('/v1/vat/issue/l1', anIssueRequest())
  assert.equal(status, 200, JSON.stringify(body))
  return body.jti
}

describe('events of two nodes on one database', async () => {
  const { nodes } = await someNodes({ after }, 2)
  const [one, two] = nodes
  assert.ok(one !== undefined && two !== undefined)

  test('arrive in the same order on either, and none is missing after a node is killed', async (t) => {
    const jti = await issuedAt(one)
    const acknowledged = new Set<string>()
    // With a key, as SDKs send it: a node repeats calls that it forwarded to a node that died.
    const act = async ({ client }: Node) => {
      const answer = await client
        .post('/v1/vat/record/action', { vat_jti: jti, ...READ }, { 'idempotency-key': randomUUID() })
        .catch(() => undefined)
      if (answer?.status === 200) acknowledged.add(answer.body.aar_id)
    }
    const seen: { log_index: number; aar_id: string }[] = []
    const keep = (events: { log_index: number; data: { aar_id: string } }[]) =>
      seen.push(...events.map(({ log_index, data }) => ({ log_index, aar_id: data.aar_id })))
    const filter = `vat_jti=${jti}&type=action.completed`
    const first = await anEventStream(t, `${one.program.url}/v1/vat/events?after=-1&${filter}`)
    await Promise.all(Array.from({ length: 50 }, (_, index) => act(index % 2 === 0 ? one : two)))
    keep(await first.events(20))
    // The rest of the first stream is lost with its node, in the middle of the next changes.
    const acting = Promise.all(Array.from({ length: 50 }, (_, index) => act(index % 2 === 0 ? one : two)))
    await one.program.kill()
    await acting
    await act(two)
    const second = await anEventStream(t, `${two.program.url}/v1/vat/events?${filter}`, {
      'last-event-id': String(seen.at(-1)?.log_index),
    })
    const missing = () => [...acknowledged].filter((aar_id) => !seen.some((event) => event.aar_id === aar_id))
    while (missing().length > 0) keep(await second.events(1))
    const indexes = seen.map(({ log_index }) => log_index)
    assert.deepEqual(
      indexes,
      [...new Set(indexes)].sort((a, b) => a - b),
    )
    assert.ok(seen.length > 70, `${seen.length} events`)
  })
})

const isLinux = process.platform === 'linux'

/** The nice value of each thread of a process, the main thread first. */
function prioritiesOf(pid: number | undefined): number[] {
  if (!isLinux) return [0]
  const threads = readdirSync(`/proc/${pid}/task`).sort((a, b) => Number(a) - Number(b))
  const NICE = 16 // counted from the state, which follows the name in parentheses
  return threads.map((tid) =>
    Number(readFileSync(`/proc/${pid}/task/${tid}/stat`, 'utf8').split(') ')[1]?.split(' ')[NICE]),
  )
}

describe('2,000 streams on one node', () => {
  test('all get an event', async (t) => {
    const program = await aProgram(t, temporaryDirectory(t), { DEPUTY_CONNECTION_LIMIT: '3000' })
    const client = deputy({ url: program.url })
    const { jti } = await client.issueL1(TOKEN)
    let heard = 0
    const requests = Array.from({ length: 2_000 }, (_, index) =>
      get(`${program.url}/v1/vat/events${index % 2 === 0 ? '' : `?vat_jti=${jti}`}`, {
        agent: false,
        headers: { accept: 'text/event-stream' },
      }),
    )
    t.after(() => {
      for (const request of requests) request.destroy()
    })
    let open = 0
    for (const request of requests)
      request
        .on('error', () => {})
        .on('response', (response) => {
          assert.equal(response.statusCode, 200)
          open += 1
          response
            .on('error', () => {})
            .on('data', (chunk) => {
              if (String(chunk).includes('action.completed')) heard += 1
            })
        })
    await eventually('2,000 streams', () => open === requests.length, 90_000)
    await client.recordAction({ vat_jti: jti, ...READ })
    await eventually('2,000 events', () => heard === requests.length, 90_000)
    // Only Linux gives each thread its own priority.
    const own = getPriority() // a program inherits the priority of its parent
    const priorities = prioritiesOf(program.process.pid)
    const behind = priorities.filter((nice) => nice > own)
    assert.deepEqual([priorities[0], behind.length], isLinux ? [own, 1] : [0, 0])
  })
})
