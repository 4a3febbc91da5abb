import { Type } from '../schema-type.ts'
import { described, Instant, OneOf, Text } from '../shapes.ts'

/** Who can suspend, the lowest rank first. A suspension is lifted by the rank of its author or a higher one. */
export const RANKS = ['agent', 'developer', 'person', 'operator'] as const
export type Rank = (typeof RANKS)[number]

/** Why the service itself suspends a token. */
export const SUSPEND_CODES = ['exceeded_authorization'] as const
export type SuspendCode = (typeof SUSPEND_CODES)[number]

const RankWord = OneOf(RANKS, {
  title: 'Rank',
  description: 'Rank of a caller: agent, developer, person or operator, the lowest first.',
})

/** The body of a call that suspends. */
export const SuspendReason = Type.Optional(
  Text('Why it is suspended, in your own words.', { minLength: 1, maxLength: 500 }),
)

export const SuspendedAt = Type.Optional(described(Instant, 'When it was suspended.'))
export const SuspendedBy = Type.Optional(
  described(RankWord, 'Rank of the caller who suspended it. Only this rank or a higher one can resume it.'),
)
export const ShownSuspendReason = Type.Optional(
  Text('Why it was suspended, in the words of the caller who did so.'),
)
export const SuspendCodeWord = Type.Optional(
  OneOf(SUSPEND_CODES, {
    title: 'SuspendCode',
    description: 'Why the service itself suspended the token. Absent when a caller did so.',
  }),
)
