import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import fc from 'fast-check'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { type Level, PERIODS, type Wishes } from './model.ts'

/** Where a history is played. */
export interface World {
  readonly store: WriteStore
  readonly clock: ManualClock
  /** Makes names unique if several histories share a store. */
  readonly prefix: string
}

/** Times in constraints are seconds from the moment of the request. */
export type Wanted = Omit<Wishes, 'not_before' | 'expires_at'> & { starts_in?: number; ends_in?: number }

/** The ranks of callers, the lowest first. */
export const STEP_RANKS = ['agent', 'developer', 'person', 'operator'] as const
export type StepRank = (typeof STEP_RANKS)[number]

/** Who reported how an action ended. */
export type Seen = 'self_reported' | 'observed'

/** Who requests a new token: a developer, or the person or agent behind it. Omitted in open mode. */
export type Asker = 'developer_0' | 'developer_1' | 'person' | 'agent'

/** Tokens, records, agents and humans are numbers, modulo their count; -1 is the newest. */
export type Step =
  | {
      do: 'issue'
      agent: number
      human: number
      level: Level
      /** Only L3: whether its inner limits hold everything but plain reads. */
      held: boolean
      resources: string[]
      actions: string[]
      wanted: Wanted
      lifetime: number
      by?: Asker
      key?: number
    }
  | {
      do: 'delegate'
      token: number
      agent: number
      resources?: string[]
      actions?: string[]
      wanted: Wanted
      lifetime?: number
      by?: Asker
      key?: number
    }
  /** Delegates a part of what the token holds; each bit of the mask keeps one entry. */
  | { do: 'share'; token: number; agent: number; mask: number; wanted: Wanted; by?: Asker; key?: number }
  | { do: 'renew'; token: number; lifetime: number; by?: Asker }
  /** "Not in my name", or its withdrawal. */
  | { do: 'refuse' | 'accept'; human: number }
  | {
      do: 'authorize' | 'record'
      token: number
      action: string
      resource: string
      usd: number
      result: string
      evidence: Seen
      fits: boolean
      told?: Told
    }
  | { do: 'complete'; record: number; usd?: number; result: string; evidence: Seen }
  /** The largest spend, as often as an account accepts it and once more. */
  | { do: 'flood'; token: number; how: 'authorize' | 'record' }
  | { do: 'cancel'; record: number }
  | { do: 'rate'; record: number; rating: 'approved' | 'flagged' | 'rejected' }
  | { do: 'revoke'; token: number }
  | { do: 'suspend' | 'resume'; token: number; rank: StepRank }
  | { do: 'suspend_agent' | 'resume_agent'; agent: number; rank: StepRank }
  | { do: 'revoke_agent'; agent: number }
  | { do: 'revoke_human'; human: number }
  | { do: 'wait'; ms: number }
  /** A person decides an approval request. Person 3 is a reviewer. */
  | {
      do: 'decide'
      question: number
      yes: boolean
      person: number
      grant?: { minutes: number; usd?: number }
    }
  /** Repeats the request with the ID of the approval. */
  | { do: 'use'; question: number; how: 'authorize' | 'record' }
  | { do: 'end_grant'; question: number }
  | { do: 'sweep' }
  | { do: 'commit' }

/** The arguments of an action. */
export type Told = Readonly<Record<string, string | number>>

export type History = readonly Step[]

const some = <T>(values: readonly T[]) => fc.constantFrom(...values)
const RESOURCES = ['mail:in', 'mail:out', 'mail:*', 'disk:a', 'disk:*']
const CONCRETE = ['mail:in', 'mail:out', 'mail:new', 'disk:a', 'web:x']
const ACTIONS = ['read', 'write', 'pay']
const USD = [0, 0, 0.000001, 0.1, 0.11, 0.3, 1, 1, 1.1, 2.5, 4]
const ref = fc.oneof(fc.nat(30), fc.nat(30), some([-1, -2, -3]))
const agent = fc.nat(3)
const human = fc.nat(1)
const usd = some(USD)
const result = some(['success', 'success', 'partial', 'error', 'cancelled'])

const hours = fc.record(
  {
    time_zone: fc.constant('UTC'),
    days: fc.uniqueArray(some(['mon', 'thu', 'fri', 'sat', 'sun']), { minLength: 1, maxLength: 4 }),
    from: some(['00:00', '00:00', '08:30', '22:00']),
    to: some(['01:00', '12:00', '24:00', '06:00']),
  },
  { requiredKeys: ['time_zone', 'from', 'to'] },
)

const approval = fc.record(
  {
    actions: fc.constant<string[]>(['pay']),
    resources: fc.uniqueArray(some(RESOURCES), { minLength: 1, maxLength: 2 }),
    above_usd: some([0, 0.1, 1]),
    auto_approve_after: some([1, 1, 2, 3]),
  },
  { requiredKeys: [] },
)
/** People are numbers. */
const approvers = fc.oneof(
  fc.record({
    count: some([1, 2]),
    people: some([
      ['0', '1', '2'],
      ['1', '2'],
      ['0', '1'],
    ]),
  }),
  fc.record({ count: fc.constant(1), role: fc.constant('reviewer' as const) }),
)
const approvedBySeveral = fc.record({ approvers })

const told: fc.Arbitrary<Told> = fc.record(
  { n: some([0, 1, 2, 5, 'x']), m: some(['x', 'y', 1]) },
  { requiredKeys: [] },
)
const argumentLimit = fc.record(
  { max: some([0, 1, 2, 5]), one_of: some([['x'], ['x', 'y'], ['x', 'y', 1], [0, 1, 2]]) },
  { requiredKeys: [] },
)
const limitedPaths = fc.dictionary(some(['/n', '/m']), argumentLimit, { minKeys: 1, maxKeys: 2 })

/** At most three constraints at a time, so that most tokens still allow something. */
const wanted: fc.Arbitrary<Wanted> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ max_spend_usd: some([0, 0.3, 1, 2, 5, 10]) }) },
      { weight: 2, arbitrary: fc.record({ max_spend_per_action_usd: some([0, 0.1, 1, 2.5]) }) },
      { weight: 2, arbitrary: fc.record({ max_overrun_pct: some([0, 10, 50, 1000]) }) },
      {
        weight: 4,
        arbitrary: fc.record({
          max_spend_usd_per: fc.dictionary(some(PERIODS), some([0, 0.3, 1, 2, 5]), {
            minKeys: 1,
            maxKeys: 2,
          }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          arguments: fc.dictionary(some(['*', 'pay', 'read']), limitedPaths, { minKeys: 1, maxKeys: 2 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ max_actions: some([0, 1, 2, 3, 5]) }) },
      { weight: 3, arbitrary: fc.record({ max_actions_per_minute: some([1, 2, 3]) }) },
      { weight: 1, arbitrary: fc.record({ starts_in: some([-100, 0.25, 30, 3000]) }) },
      { weight: 1, arbitrary: fc.record({ ends_in: some([-5, 0.5, 90.5, 4000, 90_000]) }) },
      { weight: 1, arbitrary: fc.record({ active_hours: hours }) },
      { weight: 2, arbitrary: fc.record({ max_delegation_depth: some([0, 1, 2, 5, 10]) }) },
      { weight: 1, arbitrary: fc.record({ require_approval: approval }) },
      { weight: 1, arbitrary: fc.record({ require_approval: approvedBySeveral }) },
      { weight: 1, arbitrary: fc.record({ min_reputation: some([0, 0.02, 0.05, 0.2, 0.4]) }) },
      {
        weight: 1,
        arbitrary: fc.record({ allowed_audiences: fc.uniqueArray(some(['a', 'b', 'c']), { minLength: 1 }) }),
      },
      { weight: 1, arbitrary: fc.record({ x_note: some(['one', 'two']) }) },
    ),
    { maxLength: 3 },
  )
  .map((parts): Wanted => Object.assign({}, ...parts))

const resources = fc.uniqueArray(some(RESOURCES), { minLength: 1, maxLength: 3 })
const generous = some([
  ['mail:*', 'disk:*'],
  ['mail:*', 'disk:a'],
  ['mail:in', 'mail:out', 'disk:a'],
])
const actions = fc.uniqueArray(some([...ACTIONS, 'delegate', 'delegate', 'delegate']), {
  minLength: 1,
  maxLength: 4,
})
const withDelegate = fc.uniqueArray(some(ACTIONS), { minLength: 1 }).map((some) => [...some, 'delegate'])

const rank = some(STEP_RANKS)
const evidence = some(['self_reported', 'observed'] as const)

const key = fc.nat(2)
/** Half of the calls have no caller, as in open mode. */
const optional = <Parts extends object>(parts: fc.Arbitrary<Parts>, by: readonly Asker[]) =>
  fc
    .tuple(parts, fc.record({ by: some(by), key }, { requiredKeys: [] }))
    .map(([step, named]): Parts & { by?: Asker; key?: number } => ({ ...step, ...named }))

const issue = optional(
  fc.record({
    do: fc.constant('issue' as const),
    agent,
    human,
    level: some(['L1', 'L1', 'L2', 'L3', 'L3'] as const),
    held: some([false, false, true]),
    resources: fc.oneof(generous, generous, resources),
    actions: fc.oneof(withDelegate, withDelegate, withDelegate, actions),
    wanted,
    lifetime: some([60, 3600, 28_800, 86_400, 86_400, 86_400]),
  }),
  ['developer_0', 'developer_0', 'developer_1', 'person'],
)
const sharing = fc.record({
  do: fc.constant('share' as const),
  token: fc.oneof(ref, some([-1, -1, -2])),
  agent,
  mask: fc.nat(255),
  wanted: fc.oneof(fc.constant({}), fc.constant({}), wanted),
})
const BELOW = ['agent', 'agent', 'agent', 'person'] as const

const decision = fc.record(
  {
    do: fc.constant('decide' as const),
    question: fc.oneof(ref, some([-1, -1, -2])),
    yes: some([true, true, true, true, false]),
    person: fc.nat(3),
    grant: fc.record(
      { minutes: some([1, 30, 1440]), usd: some([0, 1, 2.5, 5]) },
      { requiredKeys: ['minutes'] },
    ),
  },
  { requiredKeys: ['do', 'question', 'yes', 'person'] },
)
const use = fc.record({
  do: fc.constant('use' as const),
  question: fc.oneof(ref, some([-1, -1, -2])),
  how: some(['authorize', 'record'] as const),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: issue },
  {
    weight: 24,
    arbitrary: optional(sharing, BELOW),
  },
  {
    weight: 14,
    arbitrary: optional(
      fc.record(
        {
          do: fc.constant('delegate' as const),
          token: ref,
          agent,
          resources: fc.oneof(resources, generous),
          actions: fc.oneof(withDelegate, withDelegate, actions),
          wanted,
          lifetime: some([1, 60, 600, 3600, 7200]),
        },
        { requiredKeys: ['do', 'token', 'agent', 'wanted'] },
      ),
      BELOW,
    ),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        do: fc.constant('renew' as const),
        token: ref,
        lifetime: some([60, 3600, 28_800, 90_000]),
        by: some(['developer_0', 'developer_1', 'person'] as const),
      },
      { requiredKeys: ['do', 'token', 'lifetime'] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: some(['refuse', 'accept'] as const), human }),
  },
  {
    weight: 70,
    arbitrary: fc.record(
      {
        do: some(['authorize', 'record'] as const),
        token: ref,
        action: some(['read', 'write', 'pay', 'read', 'write', 'pay', 'delegate', 'sing']),
        resource: some(CONCRETE),
        usd,
        result,
        evidence,
        fits: some([true, true, true, false]),
        told,
      },
      { requiredKeys: ['do', 'token', 'action', 'resource', 'usd', 'result', 'evidence', 'fits'] },
    ),
  },
  {
    weight: 28,
    arbitrary: fc.record(
      { do: fc.constant('complete' as const), record: ref, usd: some([...USD, 1e9]), result, evidence },
      { requiredKeys: ['do', 'record', 'result', 'evidence'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), record: ref }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('flood' as const),
      token: ref,
      how: some(['authorize', 'record'] as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('rate' as const),
      record: ref,
      rating: some(['approved', 'flagged', 'rejected'] as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: some(['suspend', 'resume', 'resume'] as const), token: ref, rank }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('revoke' as const), token: ref }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: some(['suspend_agent', 'resume_agent', 'resume_agent'] as const),
      agent,
      rank,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke_agent' as const), agent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke_human' as const), human }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: some([1, 500, 1000, 1000, 30_000, 30_000, 61_000, 61_000, 300_000, 900_000, 3_600_000, 40_000_000]),
    }),
  },
  { weight: 6, arbitrary: decision },
  { weight: 4, arbitrary: use },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end_grant' as const), question: ref }) },
  { weight: 2, arbitrary: fc.constant({ do: 'sweep' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'commit' as const }) },
)

const handedOn: Step = { do: 'share', token: -1, agent: 0, mask: 15, wanted: {} }

/** A root token whose actions need approval, and repeated requests of a few kinds. */
const approving = fc.tuple(
  issue,
  fc.oneof(approval, approval, approvedBySeveral),
  fc.array(
    fc.oneof(
      {
        weight: 10,
        arbitrary: fc.record(
          {
            do: some(['authorize', 'record'] as const),
            token: some([0, 0, 0, 1, -1]),
            action: some(['read', 'pay']),
            resource: fc.constant('mail:in'),
            usd: some([0, 0.1, 0.1, 1]),
            result: fc.constant('success'),
            evidence: fc.constant('self_reported' as const),
            fits: fc.constant(true),
            told: some([{ n: 1 }, { n: 2 }, { n: 5 }, { m: 'x' }]),
          },
          { requiredKeys: ['do', 'token', 'action', 'resource', 'usd', 'result', 'evidence', 'fits'] },
        ),
      },
      { weight: 4, arbitrary: decision },
      { weight: 2, arbitrary: use },
      { weight: 1, arbitrary: step },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  ),
)

/** Starts with a root token, and sometimes with a long chain below it. */
export function histories(): fc.Arbitrary<History> {
  const depth = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(12) })
  const mixed = fc
    .tuple(issue, depth, fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }))
    .map(
      ([root, links, steps]): History => [root, ...Array.from({ length: links }, () => handedOn), ...steps],
    )
  const asking = approving.map(
    ([root, require_approval, steps]): History => [
      { ...root, wanted: { require_approval }, lifetime: 86_400 },
      ...steps,
    ],
  )
  return fc.oneof({ weight: 3, arbitrary: mixed }, { weight: 1, arbitrary: asking })
}
