/**
 * Measures scores of the trust graph on the largest graph that the service is meant for: 10^5 people, a tenth of them
 * verified, and 10^6 vouches. `--people`, `--vouches` and `--scores` change the numbers.
 *
 *   npx node --expose-gc bench/trust-bench.ts
 */
import { parseArgs } from 'node:util'
import { scoreOf, TrustLedger } from '@deputize/protocol/trust'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    vouches: { type: 'string', default: '1000000' },
    scores: { type: 'string', default: '400' },
  },
})
const PEOPLE = Number(values.people)
const VOUCHES = Number(values.vouches)
const SCORES = Number(values.scores)
const AGENTS = Math.ceil(PEOPLE / 10)

/** Numbers that are the same in every run (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = randomNumbers(7)
const START_MS = Date.parse('2026-01-01T00:00:00.000Z')

function person(number: number): string {
  return `sha256:${number.toString(16).padStart(64, '0')}`
}

function heapMb(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

/** Most people vouch for people near them, as in reality; some for anyone. About every tenth vouch is for an agent. */
function aVouchLeaf(number: number) {
  const from = random(PEOPLE)
  const near = (from + 1 + random(200)) % PEOPLE
  const someone = random(10) < 7 ? near : random(PEOPLE)
  const to = random(10) === 0 ? { agent_id: `agent:a${random(AGENTS)}` } : { human_ref: person(someone) }
  const weight = 10_000 + random(990_001)
  return {
    vouch_id: `vch_${String(number).padStart(36, '0')}`,
    tenant_id: 'default',
    from: person(from),
    to,
    weight,
  }
}

function percentile(sorted: readonly number[], part: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(3)
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  console.log(
    `${what}: p50 ${percentile(sorted, 0.5)} ms, p99 ${percentile(sorted, 0.99)} ms (${sorted.length})`,
  )
}

/** Measures processor time, which other work of the machine affects little. */
function timed(run: () => void): number {
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const before_mb = heapMb()
const ledger = new TrustLedger()
let leaves = 0
function apply(type: string, members: Record<string, unknown>): void {
  leaves += 1
  ledger.apply({ v: 1, type, at: new Date(START_MS + leaves).toISOString(), ...members })
}

for (let number = 0; number < PEOPLE; number += 10) {
  const assurance_level = number % 100 === 0 ? 'L3' : 'L2'
  apply('session.begun', { human_ref: person(number), tenant_id: 'default', assurance_level })
}
const applied_ms = timed(() => {
  for (let number = 0; number < VOUCHES; number += 1) apply('vouch.made', aVouchLeaf(number))
})
for (let number = 0; number < VOUCHES / 100; number += 1)
  apply('action.rated', {
    agent_id: `agent:a${random(AGENTS)}`,
    rating: random(20) === 0 ? 'rejected' : 'approved',
  })
const first_ms = timed(() => ledger.graph.distances(0))
console.log(
  `${PEOPLE} people, ${ledger.graph.vouchCount} vouches read in ${(applied_ms / 1000).toFixed(1)} s`,
)
console.log(`memory: ${(heapMb() - before_mb).toFixed(0)} MB`)
console.log(`all distances: ${first_ms.toFixed(0)} ms`)

const subjects = Array.from({ length: SCORES }, (_, number) =>
  number % 2 === 0 ? `agent:a${random(AGENTS)}` : person(random(PEOPLE)),
)
/** The first scores include compiling the code. A service does that once, so they are reported separately. */
const WARM_UP = 50
report(
  'the first scores',
  subjects.slice(0, WARM_UP).map((subject) => timed(() => scoreOf(ledger.graph, subject))),
)
const scores: number[] = []
let truncated = 0
let paths = 0
for (const subject of subjects)
  scores.push(
    timed(() => {
      const score = scoreOf(ledger.graph, subject)
      truncated += score.truncated ? 1 : 0
      paths += score.paths.length
    }),
  )
report('a score', scores)
console.log(`${truncated} of ${SCORES} truncated, ${(paths / SCORES).toFixed(0)} paths each`)
report(
  'a score right after a rating',
  subjects.map((subject) => {
    apply('action.rated', { agent_id: `agent:a${random(AGENTS)}`, rating: 'approved' })
    return timed(() => scoreOf(ledger.graph, subject))
  }),
)
report(
  'as one person sees it',
  subjects
    .slice(0, 50)
    .map((subject) => timed(() => scoreOf(ledger.graph, subject, { as: person(random(PEOPLE)) }))),
)
report(
  'a vouch, with distances',
  Array.from({ length: 2000 }, (_, number) => timed(() => apply('vouch.made', aVouchLeaf(VOUCHES + number)))),
)
report(
  'a withdrawal, with distances',
  Array.from({ length: 2000 }, () => {
    const vouch_id = `vch_${String(random(VOUCHES)).padStart(36, '0')}`
    return timed(() => apply('vouch.withdrawn', { vouch_id, by: 'person' }))
  }),
)
