import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aServer } from '@deputize/testing/a-server.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aCapture, enrolled, type Post } from '../a-capture.ts'

/**
 * Enough to detect a difference as large as the normal variation. TIMED_CAPTURES sets more: the smallest detectable
 * difference shrinks with their square root.
 */
const CAPTURES = Number(process.env.TIMED_CAPTURES ?? 30)
/** Two samples of the same kind differ by more than this in one of 15,000 runs. */
const MOST_DEVIATIONS = 4
const READ = { action: 'read', resource: 'calendar:events' }
const TOKEN = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read', 'buy'] }

const FACES = { calm: 1, coerced: 2 }
type Kind = keyof typeof FACES
interface Times {
  readonly capture: number[]
  readonly read: number[]
}

/**
 * By how many standard deviations the ranks of two samples differ (Mann-Whitney). Only the order of the times counts,
 * so a pause of the machine affects one call, however long it is.
 */
function rankDeviations(one: readonly number[], other: readonly number[]): number {
  const larger = one.flatMap((a) => other.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)))
  const pairs = one.length * other.length
  const spread = Math.sqrt((pairs * (one.length + other.length + 1)) / 12)
  return (larger.reduce((sum: number, more) => sum + more, 0) - pairs / 2) / spread
}

test('a sign of coercion changes the time of neither the capture nor the calls that follow', async (context) => {
  const alerts: string[] = []
  const safety_url = await aServer(context, (request, response) => {
    alerts.push(String(request.headers['webhook-id']))
    request.resume().once('end', () => response.writeHead(204).end())
  })
  const app = await aTestApp(context, { engine: anActedEngine(), l3_passkey: 'optional', safety_url })
  const post: Post = (path, body) => app.post(path, body)

  async function aPersonWithSign(face: number): Promise<string> {
    const { human_ref, verification_id } = await enrolled(post, app, { face })
    const sign = { word: 'butterfly', contacts: ['Ada'], human_ref, verification_id }
    const set = await app.app.inject({ method: 'PUT', url: '/v1/vat/auth/duress', payload: sign })
    assert.equal(set.statusCode, 200, set.body)
    return human_ref
  }

  const times: Record<Kind, Times> = {
    calm: { capture: [], read: [] },
    coerced: { capture: [], read: [] },
  }
  const timed = async (into: number[], path: string, body: object) => {
    const began_ms = performance.now()
    const answer = await post(path, body)
    into.push(performance.now() - began_ms)
    return answer.body
  }
  const people = { calm: await aPersonWithSign(FACES.calm), coerced: await aPersonWithSign(FACES.coerced) }

  async function measure(kind: Kind): Promise<void> {
    const acted = { face: FACES[kind], is_coerced: kind === 'coerced' }
    const capture = await aCapture(post, app, people[kind], acted)
    const judged = await timed(times[kind].capture, '/v1/vat/auth/capture', { ...capture, ...TOKEN })
    assert.equal(judged.passed, true, JSON.stringify(judged))
    const read = await timed(times[kind].read, '/v1/vat/authorize', { vat_jti: judged.token.jti, ...READ })
    assert.equal(read.authorized, true)
  }

  // Each kind follows the other equally often, because an alert of the previous capture may be in flight.
  for (let round = 0; round < CAPTURES; round += 1)
    for (const kind of round % 2 === 0 ? (['calm', 'coerced'] as const) : (['coerced', 'calm'] as const))
      await measure(kind)

  await eventually('all alerts', () => alerts.length === CAPTURES)
  for (const call of ['capture', 'read'] as const) {
    const deviations = rankDeviations(times.coerced[call], times.calm[call])
    const medians = [times.calm[call], times.coerced[call]].map((list) =>
      list.toSorted((a, b) => a - b)[list.length >> 1]?.toFixed(2),
    )
    context.diagnostic(`${call}: medians ${medians.join(' and ')} ms, ${deviations.toFixed(1)} deviations`)
    assert.ok(Math.abs(deviations) < MOST_DEVIATIONS, `${call}: ${deviations} deviations, ${medians} ms`)
  }
})
