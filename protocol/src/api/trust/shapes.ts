import { Type } from '../schema-type.ts'
import { Closed, Count, described, Flag, HumanRef, Instant, OneOf, Score, Text } from '../shapes.ts'

export const VouchId = Type.String({
  minLength: 1,
  maxLength: 128,
  title: 'VouchId',
  description: 'Vouch ID. Starts with vch_.',
  examples: ['vch_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

/** A subject in a request. */
export const TrustSubject = Type.String({
  format: 'trust-subject',
  title: 'TrustSubject',
  description: 'A person, by `human_ref`, or an agent, by its name with the agent: prefix.',
  examples: ['agent:calendar-bot'],
})
/** A subject in an answer. */
export const StoredSubject = Type.String({
  title: 'StoredSubject',
  description: 'A person, by `human_ref`, or an agent, by its name with the agent: prefix.',
  examples: ['agent:calendar-bot'],
})

export const VouchContext = Type.String({
  pattern: '^[a-z0-9_-]{1,32}$',
  title: 'VouchContext',
  description: 'What a vouch is about, such as payments: 1 to 32 lower-case letters, digits, _ and -.',
  examples: ['payments'],
})

export const VouchWeight = Type.Number({
  minimum: 0.01,
  maximum: 1,
  title: 'VouchWeight',
  description: 'How much of their word a person gives, from 0.01 to 1. Rounded to 6 decimals.',
  examples: [0.8],
})

export const Words = Type.Number({
  minimum: 0,
  title: 'TrustFlow',
  description: 'In full words, with 6 decimals: 1 is the whole word of one perfect verified person.',
  examples: [0.56],
})

export const VouchScoreValue = described(
  Score,
  'The flow f as a score: f / (f + 1), rounded down to 6 decimals.',
)

export const ContextQuery = Type.Optional(
  described(
    VouchContext,
    'Count the vouches of this context and those without one. Without it, only vouches without a context count.',
  ),
)

export const AsQuery = Type.Optional(
  Type.String({
    format: 'sha256-digest',
    description: 'Take this person as the only anchor, by `human_ref`: how much do they trust the subject?',
  }),
)

export const AsOf = Closed(
  {
    log_size: Count('Size of the log that the response is computed from.'),
    at: Type.Optional(described(Instant, 'Time of its last entry. Absent for an empty log.')),
  },
  { title: 'AsOf', description: 'The state of the log that the response is computed from.' },
)

export const TrustStep = Closed(
  {
    vouch_id: Type.Optional(described(VouchId, 'The vouch. Absent if you may not see it.')),
    from: Type.Optional(described(HumanRef, 'The person who vouches. Absent if you may not see it.')),
    capacity: described(Words, 'What this vouch can carry in all paths together.'),
  },
  { title: 'TrustStep', description: 'One vouch on the way from an anchor to the subject.' },
)

export const TrustPath = Closed(
  {
    flow: described(Words, 'What this path carries.'),
    steps: Type.Array(TrustStep, {
      description: 'From an anchor to the subject: each step leads to the person of the next one.',
    }),
  },
  { title: 'TrustPath', description: 'A way from an anchor to the subject.' },
)

export const CutPartShape = Closed(
  {
    limit: OneOf(['vouch', 'base', 'person'], {
      description:
        "What is used up: a vouch, an anchor's own weight (`base`), or what a person can pass on (`person`).",
    }),
    vouch_id: Type.Optional(described(VouchId, 'The vouch, if you may see it.')),
    human_ref: Type.Optional(described(HumanRef, 'The anchor or the person, if you may see them.')),
    capacity: described(Words, 'How much it carries at most.'),
  },
  { title: 'CutPart', description: 'A part of what limits a score.' },
)

export const Withheld = Type.Optional(
  Flag(
    'Present if the caller is a person: vouches and people are named only if the caller is one end of the vouch. For their own score and those of agents they own, everyone is named.',
  ),
)

export const VouchNote = Text(
  'Why, in your own words. Stored encrypted. Erased with the person who vouches, and with the person it is about.',
  { minLength: 1, maxLength: 500 },
)
