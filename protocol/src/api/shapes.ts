import type { Static, TProperties, TSchema } from 'typebox'
import { MAX_METADATA_MEMBERS } from '../encoding/metadata-limits.ts'
import { MAX_USD } from '../encoding/money.ts'
import { MAX_LIFETIME_S } from '../token/jws.ts'
import { LEVELS } from '../token/levels.ts'
import { EVIDENCE } from './actions/evidence.ts'
import { Type } from './schema-type.ts'

/** Annotations of a schema. One with a `title` becomes a named component of the OpenAPI document. */
export interface Notes {
  readonly title?: string
  readonly description?: string
}

/** An object with the named members and no others: a mistyped name must never be ignored. */
export function Closed<const T extends TProperties>(properties: T, notes: Notes = {}) {
  return Type.Object(properties, { ...notes, additionalProperties: false })
}

/** A string from a closed list. */
export function OneOf<const T extends readonly string[]>(values: T, notes: Notes = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...notes })
}

/** An object with members of any name. */
export function AnyObject<T extends object = Record<string, unknown>>(notes: Notes) {
  return Type.Unsafe<T>({ type: 'object', additionalProperties: true, ...notes })
}

export function Text(description: string, options: Parameters<typeof Type.String>[0] = {}) {
  return Type.String({ ...options, description })
}

export function Flag(description: string) {
  return Type.Boolean({ description })
}

export function Count(description: string) {
  return Type.Integer({ minimum: 0, description })
}

/** Where a schema from `described` keeps the description of its component. */
export const GENERAL_DESCRIPTION = Symbol('general description')

/** The same schema with a description that fits one field. It stays the same component. */
export function described<T extends TSchema & { readonly description?: string }>(
  schema: T,
  description: string,
): T {
  const copy: T = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema))
  const general = GENERAL_DESCRIPTION in schema ? schema[GENERAL_DESCRIPTION] : schema.description
  Object.defineProperty(copy, GENERAL_DESCRIPTION, { value: general, configurable: true })
  return Object.assign(copy, { description })
}

/** The token ID that examples show. */
export const EXAMPLE_JTI = 'vat_root_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'

const MAX_ID = { minLength: 1, maxLength: 128 }

export const Jti = Type.String({
  ...MAX_ID,
  title: 'TokenId',
  description:
    'Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_.',
  examples: [EXAMPLE_JTI],
})
export const AarId = Type.String({
  ...MAX_ID,
  title: 'ActionRecordId',
  description: 'Action record ID. Starts with aar_.',
  examples: ['aar_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const DenialId = Type.String({
  ...MAX_ID,
  title: 'DenialId',
  description: 'Denial ID. Starts with den_.',
  examples: ['den_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const ApprovalId = Type.String({
  ...MAX_ID,
  title: 'ApprovalId',
  description: 'Approval ID. Starts with apr_.',
  examples: ['apr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const LoginId = Type.String({
  ...MAX_ID,
  title: 'LoginId',
  description: 'Sign-in ID, as returned by the start call. Starts with lgn_.',
  examples: ['lgn_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const ProvenanceRef = Type.String({
  ...MAX_ID,
  title: 'ProvenanceRef',
  description: 'Workflow ID, shared by a root token and every token below it. Starts with prov_.',
  examples: ['prov_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const AgentId = Type.String({
  format: 'agent-id',
  title: 'AgentId',
  description:
    'Agent name that you choose: 1 to 128 letters, digits, . _ @ + / - and single inner spaces. Letters of any script, but no mix of scripts that look alike. In Unicode normal form C, and not . or .. alone. Leave out the agent: prefix; the service adds it.',
  examples: ['calendar-bot'],
})
/** An agent that exists, in a request. */
export const AgentRef = Type.String({
  format: 'agent-ref',
  title: 'AgentRef',
  description: 'Agent name, with or without the agent: prefix.',
  examples: ['calendar-bot'],
})
export const StoredAgentId = Type.String({
  title: 'StoredAgentId',
  description: 'Agent name with the agent: prefix, as the service stores it.',
  examples: ['agent:calendar-bot'],
})
export const ResourcePattern = Type.String({
  format: 'resource-pattern',
  title: 'ResourcePattern',
  description:
    'A resource `<namespace>:<name>`, or `<namespace>:*` for every name in the namespace. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or another *. The first colon ends the namespace; the name may contain more.',
  examples: ['calendar:events'],
})
export const Resource = Type.String({
  format: 'resource',
  title: 'Resource',
  description:
    'One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more.',
  examples: ['calendar:events'],
})
export const Action = Type.String({
  format: 'action',
  title: 'Action',
  description:
    'Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *.',
  examples: ['read'],
})
export const Result = Type.String({
  format: 'result',
  title: 'Result',
  description:
    'Outcome of the action: a letter of any script, then up to 63 letters of the same script, digits, . _ @ + / - and single inner spaces. `success` scores 1, `partial` 0.5, `cancelled` is left out of the score, and any other outcome scores 0.',
  examples: ['success'],
})
export const Sha256Digest = Type.String({
  format: 'sha256-digest',
  title: 'Sha256Digest',
  description: 'SHA-256 digest: sha256: followed by 64 lower-case hexadecimal digits.',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})
export const ResultHash = Type.String({
  format: 'result-hash',
  title: 'ResultHash',
  description:
    'SHA-256 digest of the result, if you keep the result elsewhere: sha256: followed by 1 to 64 hexadecimal digits. Stored in lower case.',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})
/** A person in a request. */
export const PersonRef = described(
  Sha256Digest,
  'The person, by the `human_ref` of one of their tokens or records.',
)
/** A person in an answer. */
export const HumanRef = Type.String({
  title: 'HumanRef',
  description: 'Keyed hash that identifies the person behind the token.',
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})
export const Instant = Type.String({
  format: 'date-time',
  title: 'Instant',
  description: 'ISO 8601 instant in UTC with milliseconds.',
  examples: ['2027-01-31T12:00:00.000Z'],
})
/** An instant in a request. */
export const GivenInstant = Type.String({
  format: 'date-time',
  title: 'GivenInstant',
  description: 'RFC 3339 instant with a time zone and at most 9 decimals of a second.',
  examples: ['2027-01-31T12:00:00Z'],
})
export const Usd = Type.Number({
  format: 'usd',
  minimum: 0,
  maximum: MAX_USD,
  title: 'Usd',
  description: 'Amount in US dollars, with at most 6 decimals.',
  examples: [1.25],
})
export const TotalUsd = Type.Number({
  minimum: 0,
  title: 'TotalUsd',
  description: 'Total in US dollars. A token spends and reserves at most 9 billion.',
  examples: [1.25],
})
export const SignedUsd = Type.Number({
  title: 'SignedUsd',
  description: 'Amount in US dollars. Negative when more was spent than allowed.',
  examples: [3.75],
})
export const TrustScore = Type.Number({
  minimum: 0,
  maximum: 1,
  title: 'TrustScore',
  description: 'Base trust of the assurance level, multiplied by 0.9 for each delegation.',
  examples: [0.4],
})
export const Score = Type.Number({
  minimum: 0,
  maximum: 1,
  title: 'Score',
  description: 'A score from 0 to 1.',
  examples: [0.5],
})
export const Depth = Type.Integer({
  minimum: 0,
  title: 'DelegationDepth',
  description: 'Number of delegations between the root token and this token. 0 for a root token.',
  examples: [0],
})
export const LogIndex = Type.Integer({
  minimum: 0,
  title: 'LogIndex',
  description: 'Index of the log entry that recorded this.',
  examples: [12],
})
export const AssuranceLevel = OneOf(Object.keys(LEVELS) as (keyof typeof LEVELS)[], {
  title: 'AssuranceLevel',
  description: 'How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics.',
})
export const Audience = Type.String({
  minLength: 1,
  maxLength: 256,
  title: 'Audience',
  description: 'The one service that accepts the token (the `aud` claim).',
  examples: ['https://calendar.example.com'],
})
export const Purpose = Type.String({
  minLength: 1,
  maxLength: 500,
  title: 'Purpose',
  description:
    'What the token is for, in your own words. Stored encrypted and deleted when the person is erased.',
  examples: ['Keep my calendar tidy'],
})
/** What a person writes about a decision or a rating. */
export const PersonNote = Text(
  'Why, in your own words. Stored encrypted and deleted when the person is erased.',
  {
    minLength: 1,
    maxLength: 2000,
  },
)
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: MAX_METADATA_MEMBERS,
  title: 'Metadata',
  description: 'Your own facts about the action: at most 64 members and 4 KiB of JSON.',
})
/** Metadata in an answer. */
export const StoredMetadata = AnyObject({ description: 'The metadata that was sent with the action.' })

/** The scope that a token was issued with. */
export const StoredScope = Closed(
  {
    resources: Type.Array(Type.String(), {
      description: 'Resources, as `<namespace>:<name>` or `<namespace>:*`.',
    }),
    actions: Type.Array(Type.String(), { description: 'Action verbs.' }),
  },
  {
    title: 'StoredScope',
    description: 'Resources and actions of a token. Each action applies to each resource.',
  },
)

export function Lifetime(description: string, maximum = MAX_LIFETIME_S) {
  return Type.Integer({ minimum: 1, maximum, description })
}

export const RevokeReason = Type.Optional(
  Text('Why the token is revoked, in your own words.', { minLength: 1, maxLength: 500 }),
)
export const RevokedCount = Count('Number of live tokens that this call revoked.')

/** The answer of a call that revokes every token of an agent or a person. */
export const RevokedAll = {
  revoked: Flag('Always true.'),
  revoked_at: described(Instant, 'When the tokens were revoked.'),
  revoked_count: RevokedCount,
}

export const Erased = Type.Optional(
  Flag('True when personal fields are missing because the person was erased.'),
)

export const RATINGS = ['approved', 'flagged', 'rejected'] as const
export type Rating = (typeof RATINGS)[number]
export const RatingWord = OneOf(RATINGS, {
  title: 'Rating',
  description: 'How the person rated the action: approved (good), flagged (a problem) or rejected (bad).',
})

export const STATES = ['pending', 'completed', 'cancelled', 'expired'] as const
export type RecordState = (typeof STATES)[number]
export const RecordStateWord = OneOf(STATES, {
  title: 'RecordState',
  description: 'State of an action record. Only a pending record can change.',
})

export const EvidenceWord = OneOf(EVIDENCE, {
  title: 'Evidence',
  description:
    'Who reported the outcome (or, while the record is pending, who authorized the action). self_reported: the agent, or any caller in open mode. observed: a resource server that the token names as its audience. countersigned: reserved, not used yet.',
})

/** The periods that a spend limit can have, the shortest first. */
export const PERIOD_KINDS = ['hour', 'day', 'week', 'month'] as const
export type PeriodKind = (typeof PERIOD_KINDS)[number]

/** The ways in which an argument breaks its limits. */
export const ARGUMENT_RULES = ['required', 'type', 'max', 'min', 'one_of', 'matches', 'max_length'] as const
export type ArgumentRule = (typeof ARGUMENT_RULES)[number]

/** Why the rules denied an action, in the order in which they are reported. */
export const REASONS = [
  'token_revoked',
  'token_suspended',
  'agent_suspended',
  'token_expired',
  'token_not_yet_valid',
  'record_closed',
  'action_not_in_scope',
  'resource_not_in_scope',
  'argument_not_allowed',
  'outside_hours',
  'budget_exceeded',
  'period_budget_exceeded',
  'action_limit',
  'rate_limit',
  'reputation_too_low',
  'vouch_score_too_low',
  'approval_denied',
  'approval_limit_root',
  'approval_limit_person',
  'approval_required',
] as const
export type Reason = (typeof REASONS)[number]
export const ReasonWord = OneOf(REASONS, {
  title: 'DenialReason',
  description: 'Why the action was denied.',
})
/** The constraints that a spend can exceed, other than those per period. */
export const SPEND_LIMITS = ['max_spend_usd', 'max_spend_per_action_usd'] as const
export type SpendLimit = (typeof SPEND_LIMITS)[number]

/** Why the approval that a request names isn't used. */
const APPROVAL_FAULTS = ['unknown', 'used', 'other_request', 'expired'] as const
export type ApprovalFault = (typeof APPROVAL_FAULTS)[number]

/** What a reason refers to, so that the caller can correct the request or wait. */
export const DenialDetail = Closed(
  {
    reason: described(ReasonWord, 'The reason that this explains.'),
    path: Type.Optional(Text('JSON pointer into `metadata` to the value that a limit denies.')),
    rule: Type.Optional(
      OneOf(ARGUMENT_RULES, {
        description:
          'The limit that denies it. `required`: the value is missing. `type`: the value has the wrong type for the limit.',
      }),
    ),
    limit: Type.Optional(OneOf(SPEND_LIMITS, { description: 'The limit on spending that is exceeded.' })),
    remaining_usd: Type.Optional(
      Type.Number({
        description:
          'The most that this limit still allows one action to spend, in US dollars: the lowest amount of all tokens in the chain.',
      }),
    ),
    period: Type.Optional(OneOf(PERIOD_KINDS, { description: 'The period whose budget is used up.' })),
    resets_at: Type.Optional(
      described(Instant, 'When the next period begins or, for a rate limit, the next minute.'),
    ),
    vouch_score: Type.Optional(described(Score, 'The score of the agent that was kept.')),
    log_size: Type.Optional(
      Count('The size of the log that this score follows from. Absent if it was never computed.'),
    ),
    approval: Type.Optional(
      OneOf(APPROVAL_FAULTS, {
        description:
          'Why the `approval_id` of the request was not used. unknown: no token in the chain requested it. used: an action already used it. other_request: it was requested for another token, action, resource, spend or metadata. expired: it was not decided or used in time.',
      }),
    ),
  },
  { title: 'DenialDetail' },
)
export type DenialDetail = Static<typeof DenialDetail>
export const DenialDetails = Type.Optional(
  Type.Array(DenialDetail, {
    description:
      'Which arguments are not allowed, which limit on spending is exceeded and what it leaves, which budgets per period are used up, when the minute of a rate limit ends, which score was too low, and why an approval was not used.',
  }),
)

export const Reasons = Type.Array(ReasonWord, {
  description: 'Every reason for the denial, the most important first.',
})

export const DEFAULT_PAGE = 50
export const MAX_PAGE = 200

/** Members of every list query. */
export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE,
      description: `Maximum number of entries to return. ${DEFAULT_PAGE} by default.`,
    }),
  ),
  cursor: Type.Optional(
    Text('`next_cursor` of the previous page, unchanged.', { minLength: 1, maxLength: 128 }),
  ),
}

/** Half-open time range `[from, to)`. */
export const TimeRangeQuery = {
  from: Type.Optional(described(GivenInstant, 'Only entries created at or after this instant.')),
  to: Type.Optional(described(GivenInstant, 'Only entries created before this instant.')),
}

export const NextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Pass as `cursor` to get the next page. Null on the last page.',
})
export const HasMore = Flag('Whether there are more pages.')

export function PageOf<const T extends TProperties>(
  entry: ReturnType<typeof Closed<T>>,
  order = 'The entries, newest first.',
) {
  return Closed({
    data: Type.Array(entry, { description: order }),
    next_cursor: NextCursor,
    has_more: HasMore,
  })
}

/** How far the service counts for a `total`. */
export const TOTAL_LIMIT = 10_000
/** Avoids `toLocaleString`, whose first call loads locale data, which takes a tenth of a program's startup time. */
const TOTAL_LIMIT_TEXT = String(TOTAL_LIMIT).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

/** Members of the query of a list that can be counted. */
export const TotalQuery = {
  total: Type.Optional(OneOf(['1', 'true'], { description: 'Also return `total`.' })),
}

/** A text to search a list for. */
export function SearchText(where: string) {
  return Type.Optional(
    Text(`Only entries that contain this text, in upper or lower case: ${where}`, {
      minLength: 1,
      maxLength: 128,
    }),
  )
}

/** A page of a list that can be counted. */
export function CountedPageOf<const T extends TProperties>(
  entry: ReturnType<typeof Closed<T>>,
  order?: string,
) {
  return Closed({
    ...PageOf(entry, order).properties,
    total: Type.Optional(
      Count('Number of entries that match the filters, on all pages. Present if you ask for it.'),
    ),
    total_is_at_least: Type.Optional(
      Flag(
        `Whether there may be more than \`total\`: the service stops at ${TOTAL_LIMIT_TEXT} entries, or when counting takes too long.`,
      ),
    ),
  })
}

/** One item of a batch: the answer or the problem that a single call would have returned. */
export function ItemOf<const T extends TProperties>(answer: ReturnType<typeof Closed<T>>) {
  return Closed({
    status: Type.Integer({ description: 'HTTP status that a single call would have returned.' }),
    answer: Type.Optional(described(answer, 'The result, when the item succeeded.')),
    problem: Type.Optional(AnyObject({ description: 'The problem (RFC 9457), when the item was refused.' })),
  })
}
