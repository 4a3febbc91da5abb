import fc from 'fast-check'
import type { LogEntryContent } from '../../src/log/entry.ts'
import { ATrustLog } from './a-trust-log.ts'

/** The number of cases in all properties together. Set the variable for longer runs. */
const CASES = Number(process.env.TRUST_CASES ?? 10_000)

/** The share of the cases that a property gets, in percent. */
export function casesFor(percent: number): { numRuns: number } {
  return { numRuns: Math.ceil((CASES * percent) / 100) }
}

export const PEOPLE = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7'] as const
export const AGENTS = ['agent:a', 'agent:b', 'agent:c'] as const
export const SUBJECTS = [...PEOPLE, ...AGENTS] as const
const CONTEXTS = [undefined, undefined, undefined, 'travel', 'finance'] as const
const DAY_MS = 24 * 3600 * 1000

export const aPerson = fc.constantFrom(...PEOPLE)
export const aSubject = fc.constantFrom(...SUBJECTS)
export const aContext = fc.constantFrom(...CONTEXTS)
export const aWeight = fc.oneof(fc.constant(1_000_000), fc.integer({ min: 10_000, max: 1_000_000 }))

type Step = (log: ATrustLog, standing: Map<string, string>) => void

/** Adds a vouch unless the service would refuse it. */
export function vouchUnlessThere(
  log: ATrustLog,
  standing: Map<string, string>,
  vouch: {
    from: string
    to: string
    weight: number
    context?: string | undefined
    days?: number | undefined
  },
): void {
  const { from, to, weight, context, days } = vouch
  const key = `${from} ${to} ${context}`
  const known = standing.get(key)
  if (from === to || (known !== undefined && log.ledger.graph.vouchOf(known) !== undefined)) return
  const expires_at =
    days === undefined ? undefined : new Date(Date.parse(log.now) + days * DAY_MS).toISOString()
  const id = log.vouch(from, to, {
    weight,
    ...(context !== undefined && { context }),
    ...(expires_at !== undefined && { expires_at }),
  })
  standing.set(key, id)
}

const aVouch: fc.Arbitrary<Step> = fc
  .record({
    from: aPerson,
    to: aSubject,
    weight: aWeight,
    context: aContext,
    days: fc.constantFrom(undefined, undefined, 1, 30),
  })
  .map((vouch) => (log, standing) => vouchUnlessThere(log, standing, vouch))

const aVerification: fc.Arbitrary<Step> = fc.tuple(aPerson, fc.constantFrom('L1', 'L2', 'L3')).map(
  ([person, level]) =>
    (log) =>
      log.verify(person, level),
)

const otherSteps: fc.Arbitrary<Step>[] = [
  fc.tuple(fc.nat(30), aWeight).map(([place, weight]) => (log, standing) => {
    const vouch_id = [...standing.values()][place % standing.size]
    if (vouch_id !== undefined) log.change(vouch_id, weight)
  }),
  fc.nat(30).map((place) => (log, standing) => {
    const vouch_id = [...standing.values()][place % standing.size]
    if (vouch_id !== undefined) log.withdraw(vouch_id)
  }),
  fc
    .tuple(
      fc.constantFrom(...AGENTS),
      fc.constantFrom('approved', 'flagged', 'rejected'),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(
      ([agent, rating, times]) =>
        (log) =>
          log.rate(agent, rating, times),
    ),
  fc.tuple(aPerson, fc.constantFrom(0, 300_000, 1_000_000)).map(([human_ref, base]) => (log) => {
    log.nameAnchor(human_ref, base)
  }),
  aPerson.map((human_ref) => (log) => log.removeAnchor(human_ref)),
  aPerson.map((human_ref) => (log) => {
    log.leaf('registry.changed', { kind: 'biometric', human_ref, removed: true, tenant_id: 'default' })
  }),
  aPerson.map((human_ref) => (log) => log.leaf('human.erased', { human_ref })),
  fc.constantFrom(2, 40, 366).map((days) => (log) => log.wait(days * DAY_MS)),
]

/** The leaves of a log with everything that changes a trust graph. */
export const randomLeaves: fc.Arbitrary<readonly LogEntryContent[]> = fc
  .tuple(
    fc.array(aVerification, { minLength: 1, maxLength: 3 }),
    fc.array(fc.oneof({ weight: 12, arbitrary: aVouch }, aVerification, ...otherSteps), {
      minLength: 4,
      maxLength: 36,
      size: 'max',
    }),
  )
  .map(([verifications, steps]) => {
    const log = new ATrustLog()
    const standing = new Map<string, string>()
    for (const step of [...verifications, ...steps]) step(log, standing)
    return log.leaves
  })
