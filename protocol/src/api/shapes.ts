import { type TProperties, Type } from 'typebox'
import { MAX_USD } from '../encoding/money.ts'
import { LEVELS } from '../token/levels.ts'
import { EVIDENCE } from './actions/evidence.ts'

/** An object that takes the named members and no other: a mistyped name must never be ignored. */
export function Closed<const T extends TProperties>(properties: T, options: { description?: string } = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false })
}

/** A string out of a closed list. */
export function OneOf<const T extends readonly string[]>(values: T, options: { description?: string } = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })
}

/** A token id as examples show it. */
export const EXAMPLE_JTI = 'vat_root_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'

export const Jti = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Token identifier, as the issue call answered it.',
  examples: [EXAMPLE_JTI],
})
export const AarId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Action record identifier.',
  examples: ['aar_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const DenialId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Identifier of a kept denial.',
})
export const ApprovalId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Identifier of a question to a human.',
})
export const LoginId = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Identifier of a sign-on, as start answered it.',
  examples: ['lgn_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const ProvenanceRef = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Workflow identifier: one for a token and everything that descends from it.',
})
export const AgentId = Type.String({
  format: 'agent-id',
  description: 'Agent name chosen by the caller, without the agent: prefix.',
  examples: ['calendar-bot'],
})
export const StoredAgentId = Type.String({
  description: 'Agent name as stored, with the agent: prefix.',
  examples: ['agent:calendar-bot'],
})
export const ResourcePattern = Type.String({
  format: 'resource-pattern',
  description: 'A resource <namespace>:<name>, or <namespace>:* for every name of the namespace.',
  examples: ['calendar:events'],
})
export const Resource = Type.String({
  format: 'resource',
  description: 'One concrete resource <namespace>:<name>.',
  examples: ['calendar:events'],
})
export const Action = Type.String({ format: 'action', description: 'Action verb.', examples: ['read'] })
export const Result = Type.String({
  format: 'result',
  description:
    'Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0.',
  examples: ['success'],
})
export const Sha256Digest = Type.String({
  format: 'sha256-digest',
  description: 'sha256: and 64 hexadecimal digits.',
})
export const HumanRef = Type.String({ description: 'Keyed hash that stands for the human behind the token.' })
export const Instant = Type.String({ format: 'date-time', description: 'ISO 8601 UTC with milliseconds.' })
export const Usd = Type.Number({
  format: 'usd',
  minimum: 0,
  maximum: MAX_USD,
  description: 'US dollars, at most 6 decimals.',
  examples: [1.25],
})
export const SignedUsd = Type.Number({
  description: 'US dollars; below zero when more was spent than allowed.',
})
export const TrustScore = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Base trust of the level x 0.9 per delegation.',
})
export const Depth = Type.Integer({
  minimum: 0,
  description: 'Depth of the actor in the delegation chain; 0 for a root token.',
})
export const AssuranceLevel = OneOf(Object.keys(LEVELS) as (keyof typeof LEVELS)[])
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 64,
  description: 'Facts of your own about the action, at most 4 KiB of JSON.',
})

export const RevokeReason = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'Why, in words.' }),
)
export const RevokedCount = Type.Integer({ description: 'Tokens in force that this call silenced.' })

/** The answer of a call that revokes every token of an agent or a person. */
export const RevokedAll = { revoked: Type.Boolean(), revoked_at: Instant, revoked_count: RevokedCount }

export const Erased = Type.Optional(
  Type.Boolean({ description: 'Something personal was here and was erased with the key of its person.' }),
)

export const RATINGS = ['approved', 'flagged', 'rejected'] as const
export type Rating = (typeof RATINGS)[number]
export const RatingWord = OneOf(RATINGS, { description: 'What the human thought of the action.' })

export const STATES = ['pending', 'completed', 'cancelled', 'expired'] as const
export type RecordState = (typeof STATES)[number]

export const EvidenceWord = OneOf(EVIDENCE, {
  description:
    'Who told how the action ended, or, while nothing of that is told, who asked: self_reported is the agent, or anybody in open mode; observed is a resource server that the token is meant for. countersigned is kept for later: nothing has it yet.',
})

/** Why the rules said no, in the order in which they are reported. */
export const REASONS = [
  'token_revoked',
  'token_suspended',
  'agent_suspended',
  'token_expired',
  'token_not_yet_valid',
  'action_not_in_scope',
  'resource_not_in_scope',
  'outside_hours',
  'budget_exceeded',
  'action_limit',
  'rate_limit',
  'reputation_too_low',
  'approval_denied',
  'approval_required',
] as const
export type Reason = (typeof REASONS)[number]
export const ReasonWord = OneOf(REASONS)

export const DEFAULT_PAGE = 50
export const MAX_PAGE = 200

/** Members of every list query. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      description: `How many entries to answer; ${DEFAULT_PAGE} when absent.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: '`next_cursor` of the page before.' }),
  ),
}

/** Half-open time range `[from, to)`. */
export const TimeRange = {
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only what was created at or after this instant.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only what was created before this instant.' }),
  ),
}

export function PageOf<const T extends TProperties>(
  entry: ReturnType<typeof Closed<T>>,
  order = 'Newest first.',
) {
  return Closed({
    data: Type.Array(entry, { description: order }),
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Pass as `cursor` for the next page.',
    }),
    has_more: Type.Boolean(),
  })
}

/** One item of a batch: what a lone call would have answered, as its answer or as its problem. */
export function ItemOf<const T extends TProperties>(answer: ReturnType<typeof Closed<T>>) {
  return Closed({
    status: Type.Integer(),
    answer: Type.Optional(answer),
    problem: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'The problem, as a lone call would have answered it.',
      }),
    ),
  })
}
