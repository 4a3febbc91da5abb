/**
 * Writes vectors/trust/random-logs.json: random logs of the trust graph, a log of a person who was taken out and erases
 * themselves, and the scores that follow from them. The SDKs recompute the scores in Node, in Python and in a browser.
 *
 *   npx node protocol/build/trust-vectors.ts
 */
import { writeFileSync } from 'node:fs'
import type { LogEntryContent } from '../src/log/entry.ts'
import { type ScoreOptions, scoreOf, TrustLedger } from '../src/trust/index.ts'

const LOGS = 24
const START_MS = Date.parse('2026-01-01T00:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const PEOPLE = 9
const AGENTS = ['agent:a', 'agent:b', 'agent:acme:a']
const CONTEXTS = ['travel', 'finance']
/** Who ends a vouch: people, or the service if the vouch turns out to be for oneself. */
const ENDS = ['person', 'operator', 'own_agent', 'same_person']

/** Random numbers that are the same in every run (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function aRandomLog(seed: number): LogEntryContent[] {
  const random = randomNumbers(seed)
  const oneOf = <Kind>(list: readonly Kind[]): Kind | undefined => list[random(list.length)]
  const person = () => `sha256:p${random(PEOPLE)}`
  const tenant_id = () => (random(12) === 0 ? 'acme' : 'default')
  const weight = () => (random(3) === 0 ? 1_000_000 : 5_000 + random(1_000_000))
  const leaves: LogEntryContent[] = []
  let now_ms = START_MS
  let vouches = 0

  function anEnd(): Record<string, unknown> {
    return random(5) === 0 ? { expires_at: new Date(now_ms + random(60 * DAY_MS)).toISOString() } : {}
  }

  /** Some of them break the rules: they vouch twice, for themselves, with too little weight, or across tenants. */
  function aVouch(): Record<string, unknown> {
    vouches += 1
    const to = random(4) === 0 ? { agent_id: oneOf(AGENTS) } : { human_ref: person() }
    const context = random(4) === 0 ? { context: oneOf(CONTEXTS) } : {}
    const members = { tenant_id: tenant_id(), from: person(), to, weight: weight(), ...context, ...anEnd() }
    return { type: 'vouch.made', vouch_id: `vch_${vouches}`, ...members }
  }

  const others = [
    () => ({
      type: 'session.begun',
      tenant_id: tenant_id(),
      human_ref: person(),
      assurance_level: oneOf(['L1', 'L2', 'L3']),
    }),
    () => ({ type: 'token.issued', agent_id: oneOf(AGENTS), human_ref: person(), assurance_level: 'L3' }),
    () => ({
      type: 'action.rated',
      agent_id: oneOf(AGENTS),
      rating: oneOf(['approved', 'flagged', 'rejected']),
    }),
    () => ({ type: 'vouch.changed', vouch_id: `vch_${random(vouches + 1)}`, weight: weight(), ...anEnd() }),
    () => ({ type: 'vouch.withdrawn', vouch_id: `vch_${random(vouches + 1)}`, by: oneOf(ENDS) }),
    () => ({ type: 'anchor.named', tenant_id: 'default', human_ref: person(), base: random(11) * 100_000 }),
    () => ({ type: 'anchor.removed', tenant_id: 'default', human_ref: person() }),
    () => ({ type: 'human.erased', human_ref: person() }),
    () => ({ type: 'registry.changed', kind: 'biometric', human_ref: person(), removed: true }),
    () => ({
      type: 'registry.changed',
      kind: 'external_check',
      human_ref: person(),
      withdraws: oneOf(['L2', 'L3']),
    }),
  ]

  function add(members: Record<string, unknown>): void {
    now_ms += random(40) === 0 ? random(200) * DAY_MS : random(DAY_MS)
    leaves.push({ v: 1, type: '', at: new Date(now_ms).toISOString(), ...members })
  }

  for (const level of ['L2', 'L3', 'L3'])
    add({ type: 'session.begun', tenant_id: 'default', human_ref: person(), assurance_level: level })
  while (leaves.length < 55) add(random(10) < 7 ? aVouch() : (oneOf(others)?.() ?? {}))
  return leaves
}

function questions(seed: number): { subject: string; options: ScoreOptions }[] {
  const random = randomNumbers(seed)
  const subject = () => (random(3) === 0 ? (AGENTS[random(3)] ?? '') : `sha256:p${random(PEOPLE)}`)
  return [
    { subject: subject(), options: {} },
    { subject: 'agent:a', options: {} },
    { subject: subject(), options: { context: 'travel' } },
    { subject: subject(), options: { as: `sha256:p${random(PEOPLE)}` } },
    { subject: subject(), options: { limit: 3 + random(6) } },
    { subject: subject(), options: { limit: 3 + random(6) } },
  ]
}

/** Two people erase themselves, sign in and vouch again: an operator gave the first one base 0, the second one 0.3. */
function anErasureLog(): LogEntryContent[] {
  const [person, other] = ['sha256:p0', 'sha256:p1'] as const
  const begin = (human_ref: string) => ({ type: 'session.begun', human_ref, assurance_level: 'L2' })
  const vouch = (from: string, agent_id: string, vouch_id: string) => ({
    type: 'vouch.made',
    vouch_id,
    from,
    to: { agent_id },
    weight: 1_000_000,
  })
  const members: Record<string, unknown>[] = [
    begin(person),
    begin(other),
    { type: 'anchor.named', human_ref: person, base: 0 },
    { type: 'anchor.named', human_ref: other, base: 300_000 },
    { type: 'human.erased', human_ref: person },
    { type: 'human.erased', human_ref: other },
    begin(person),
    begin(other),
    vouch(person, 'agent:a', 'vch_1'),
    vouch(other, 'agent:b', 'vch_2'),
  ]
  return members.map((own, index) => ({
    v: 1,
    type: '',
    at: new Date(START_MS + index).toISOString(),
    tenant_id: 'default',
    ...own,
  }))
}

function answered(leaves: readonly LogEntryContent[], asked: ReturnType<typeof questions>) {
  const ledger = new TrustLedger()
  for (const leaf of leaves) ledger.apply(leaf)
  const scores = asked.map((question) => ({
    ...question,
    answer: scoreOf(ledger.graph, question.subject, question.options),
  }))
  return { leaves, scores }
}

const logs = [
  ...Array.from({ length: LOGS }, (_, seed) => answered(aRandomLog(seed), questions(seed + 1000))),
  answered(
    anErasureLog(),
    ['agent:a', 'agent:b'].map((subject) => ({ subject, options: {} })),
  ),
]

const file = new URL('../../vectors/trust/random-logs.json', import.meta.url)
const lines = logs.map((log) => JSON.stringify(log)).join(',\n')
writeFileSync(file, `[\n${lines}\n]\n`)
const answers = logs.flatMap(({ scores }) => scores.map(({ answer }) => answer))
console.log(
  `${logs.length} logs, ${answers.length} scores, ${answers.filter(({ flow }) => flow > 0).length} above 0, ${answers.filter(({ truncated }) => truncated).length} truncated`,
)
