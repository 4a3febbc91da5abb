import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { append, emptyFrontier, encodeBase64, leafHash, rootOf } from '@deputize/protocol'
import { command } from '@deputize/testing/a-database.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { type Node, someNodes } from '@deputize/testing/some-nodes.ts'
import { auditDatabase } from '../e2e/audit-database.ts'
import { oracle } from '../e2e/oracle.ts'

/** Number of times that a node is killed. For a long run: CRASH_CYCLES=100. */
const CYCLES = Number(process.env.CRASH_CYCLES ?? 4)
const CALLERS = 6
const RESUMED_MS = 60_000
const LIMIT_MS = 60_000 + 20_000 * CYCLES

test(`in ${CYCLES} kills of a node under load, the log stays consistent, and checkpoints continue`, {
  timeout: LIMIT_MS,
}, async (t) => {
  const cluster = await someNodes(t, 2, { env: { DEPUTY_LOG_LEVEL: 'silent' } })
  const { url, nodes, aNode } = cluster
  const running = [...nodes]
  const witness = oracle()
  /** Every checkpoint that any node has served: size to root. */
  const seen = new Map<number, string>()
  let inFlight = 0
  let slowest_ms = 0

  async function look(client: HttpClient): Promise<number> {
    const { status, body } = await client.get('/checkpoint')
    if (status !== 200) return -1
    const [, size = '', root = ''] = String(body).split('\n')
    assert.equal(seen.get(Number(size)) ?? root, root, `two checkpoints over ${size} leaves differ`)
    seen.set(Number(size), root)
    return Number(size)
  }

  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const [victim, left] = pair(running, cycle % 2)
    let isOver = false
    const load = [victim, left].flatMap(({ client }) =>
      Array.from({ length: CALLERS }, () => witness.load(client, () => isOver)),
    )
    const watching = (async () => {
      while (!isOver) {
        await Promise.all([look(left.client), look(victim.client).catch(() => {})])
        await sleep(40)
      }
    })()
    await sleep(150 + Math.random() * 500)
    await victim.program.kill()
    const before = await look(left.client)
    const killed = performance.now()
    const isResumed = async () => (await look(left.client)) > before
    await eventually('a checkpoint after a node was killed', isResumed, RESUMED_MS)
    slowest_ms = Math.max(slowest_ms, performance.now() - killed)
    isOver = true
    await Promise.all(load)
    await watching
    const back = aNode(victim.directory)
    inFlight += await witness.retry(left.client)
    await witness.assertKept(left.client)
    running[cycle % 2] = await back
  }

  assert.ok(inFlight > CYCLES, 'the kills did not interrupt anything')
  const { issue, record, authorize, rate } = witness.counts()
  assert.deepEqual(
    await counts(url),
    { tokens: issue, records: record + authorize, ratings: rate },
    'something was done twice, or is lost',
  )
  const leaves = await auditDatabase(cluster)
  const roots = await rootsOf(url)
  for (const [size, root] of seen)
    assert.equal(roots[size], root, `the checkpoint over ${size} is of no prefix`)
  t.diagnostic(
    `${CYCLES} kills, ${witness.acknowledged()} acknowledged, ${inFlight} repeated, ${leaves} leaves, ${seen.size} checkpoints seen, the slowest ${Math.round(slowest_ms)} ms after a kill`,
  )
})

function pair(running: readonly Node[], victim: number): [Node, Node] {
  const [one, other] = [running[victim], running[1 - victim]]
  assert.ok(one !== undefined && other !== undefined)
  return [one, other]
}

async function counts(url: string): Promise<unknown> {
  const [row] = await command(
    url,
    `SELECT (SELECT count(*) FROM tokens) AS tokens, (SELECT count(*) FROM records) AS records,
      (SELECT count(*) FROM ratings) AS ratings`,
  )
  return row
}

/** The root of the log at every size, computed from its leaves. */
async function rootsOf(url: string): Promise<string[]> {
  const frontier = emptyFrontier()
  const roots = [encodeBase64(rootOf(frontier))]
  for (const { leaf } of await command(url, 'SELECT leaf FROM leaves ORDER BY log_index')) {
    append(frontier, leafHash(String(leaf)))
    roots.push(encodeBase64(rootOf(frontier)))
  }
  return roots
}
