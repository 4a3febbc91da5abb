import type { Static } from 'typebox'
import { Type } from '../schema-type.ts'
import {
  Action,
  Audience,
  Closed,
  described,
  GivenInstant,
  OneOf,
  ResourcePattern,
  Score,
  Sha256Digest,
  Text,
  Usd,
} from '../shapes.ts'

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const ActiveHours = Closed(
  {
    time_zone: Text('IANA name of the time zone, such as Europe/Berlin or UTC.', {
      format: 'time-zone',
      examples: ['Europe/Berlin'],
    }),
    days: Type.Optional(
      Type.Array(OneOf(DAYS), {
        minItems: 1,
        maxItems: 7,
        foldsRepeats: true,
        description: 'Days on which the hours apply. Every day by default.',
      }),
    ),
    from: Text('First minute, as HH:MM.', { format: 'hour', examples: ['09:00'] }),
    to: Text(
      'End, as HH:MM, exclusive. 24:00 is midnight. If it is earlier than `from`, the hours run past midnight. It cannot equal `from`: the whole day is 00:00 to 24:00.',
      { format: 'hour', examples: ['17:30'] },
    ),
  },
  { title: 'ActiveHours', description: 'Hours within which the token allows actions.' },
)
export type ActiveHours = Static<typeof ActiveHours>

const ApprovalNames = { minItems: 1, maxItems: 64, foldsRepeats: true }

/** Exactly one of `people` and `role` is given. */
export const Approvers = Closed(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 10,
      description: 'How many of them must approve. One denial denies.',
    }),
    people: Type.Optional(
      Type.Array(described(Sha256Digest, 'A person, by `human_ref`.'), {
        minItems: 1,
        maxItems: 20,
        foldsRepeats: true,
        description: 'The people who can approve, by `human_ref`.',
      }),
    ),
    role: Type.Optional(
      OneOf(['reviewer'], {
        description: 'Everyone with this role can approve: `reviewer`, a reviewer of the tenant.',
      }),
    ),
  },
  {
    title: 'Approvers',
    description:
      'Who must approve: `count` of the named people, or of those with a role. Give either `people` or `role`. The person that the agent acts for cannot be the only one who approves. Needs keyed mode.',
  },
)
export type Approvers = Static<typeof Approvers>

export const RequireApproval = Closed(
  {
    actions: Type.Optional(
      Type.Array(Action, { ...ApprovalNames, description: 'Actions that need approval.' }),
    ),
    resources: Type.Optional(
      Type.Array(ResourcePattern, { ...ApprovalNames, description: 'Resources that need approval.' }),
    ),
    above_usd: Type.Optional(described(Usd, 'Spend in US dollars above which an action needs approval.')),
    auto_approve_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description:
          'After this many approvals by a person without a denial, approve equal requests automatically: the same root token, agent, action and resource, the same metadata fields, and at most the largest amount that a person approved and twice the median of those amounts. Some requests still go to the person, and the habit ends 30 days after the last approval by a person. Has no effect together with `approvers`.',
      }),
    ),
    approvers: Type.Optional(Approvers),
  },
  {
    title: 'RequireApproval',
    description:
      'A person must approve an action first if its action or resource is listed or its spend is above the amount. If none of these is given, every action needs approval.',
  },
)
export type RequireApproval = Static<typeof RequireApproval>

export const SpendPerPeriod = Closed(
  {
    hour: Type.Optional(described(Usd, 'Maximum spend in a clock hour.')),
    day: Type.Optional(described(Usd, 'Maximum spend in a calendar day.')),
    week: Type.Optional(described(Usd, 'Maximum spend in a week. Weeks begin on Monday.')),
    month: Type.Optional(described(Usd, 'Maximum spend in a calendar month.')),
    time_zone: Type.Optional(
      Text('IANA name of the time zone of the calendar. UTC by default.', {
        format: 'time-zone',
        examples: ['Europe/Berlin'],
      }),
    ),
  },
  {
    title: 'SpendPerPeriod',
    description:
      'Budgets per period, in US dollars, shared with everything below the token. A spend counts in the period in which its action was allowed, even if it is completed, cancelled or expires later.',
  },
)
export type SpendPerPeriod = Static<typeof SpendPerPeriod>

const MatchPattern = Text(
  'A pattern for the whole string: literal characters, `*` for any run of characters, `?` for one, `[a-z]` or `[!a-z]` for one of a set, `[0-9]+` for one or more of a set, and a backslash before one of these characters to mean itself.',
  { format: 'text-pattern', examples: ['*@example.com'] },
)

const MAX_MATCHES = 16

/** Beyond these, JSON parsers round integers, so a limit would allow other numbers than it names. */
const EXACT = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

export const ArgumentLimit = Closed(
  {
    max: Type.Optional(Type.Number({ ...EXACT, description: 'Largest number allowed.' })),
    min: Type.Optional(Type.Number({ ...EXACT, description: 'Smallest number allowed.' })),
    one_of: Type.Optional(
      Type.Array(
        Type.Unsafe<string | number | boolean | null>({
          type: ['string', 'number', 'boolean', 'null'],
          ...EXACT,
        }),
        {
          minItems: 1,
          maxItems: 64,
          foldsRepeats: true,
          description:
            'The only values allowed: strings, numbers, true, false or null. Numbers beyond 2^53 - 1 cannot be compared exactly: use strings.',
        },
      ),
    ),
    matches: Type.Optional(
      Type.Union(
        [
          MatchPattern,
          Type.Array(MatchPattern, {
            minItems: 1,
            maxItems: MAX_MATCHES,
            description: 'Several patterns, all of which must match.',
          }),
        ],
        { description: 'A pattern that the string must match, or a list of several.' },
      ),
    ),
    max_length: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4096,
        description: 'Maximum number of characters in a string, or of items in a list.',
      }),
    ),
  },
  {
    title: 'ArgumentLimit',
    description:
      'Limits on one value. All of them apply. A value that is missing or has the wrong type for a limit is denied.',
  },
)
export type ArgumentLimit = Static<typeof ArgumentLimit>

/** Limits by JSON pointer. */
export type PathLimits = Readonly<Record<string, ArgumentLimit>>
/** Limits by action, or `*`. */
export type ArgumentLimits = Readonly<Record<string, PathLimits>>

const MAX_LIMITED_ACTIONS = 32
const MAX_LIMITED_PATHS = 32

export const ArgumentLimits = Type.Unsafe<ArgumentLimits>({
  type: 'object',
  maxProperties: MAX_LIMITED_ACTIONS,
  propertyNames: { format: 'action-or-any' },
  patternProperties: {
    '^.*$': {
      type: 'object',
      minProperties: 1,
      maxProperties: MAX_LIMITED_PATHS,
      propertyNames: { format: 'json-pointer' },
      patternProperties: { '^.*$': ArgumentLimit },
      description: 'Limits of an action, by JSON pointer (RFC 6901) into the `metadata` of the request.',
    },
  },
  title: 'ArgumentLimits',
  description:
    'Limits on the arguments of actions: for an action, or `*` for every action, JSON pointers into the `metadata` of the request, each with its limits. An action whose metadata breaks one is denied with `argument_not_allowed`.',
  examples: [{ transfer: { '/amount': { min: 0, max: 100 }, '/to': { matches: 'DE[0-9]+' } } }],
})

/** The name of a provider that verifies people, including `builtin`. */
export const ProviderText = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  title: 'VerificationProviderName',
  description: 'Name of a provider that verifies people. `builtin` is the engine of this service.',
  examples: ['builtin'],
})

const EXTENSION = '^x_[a-z0-9_]{1,62}$'

/** Limits that a token carries. The service enforces them at every link of a chain. */
export const Constraints = Type.Object(
  {
    max_spend_usd: Type.Optional(
      described(Usd, 'Budget of the token and everything below it, in US dollars.'),
    ),
    max_spend_per_action_usd: Type.Optional(
      described(Usd, 'Maximum spend of a single action, in US dollars.'),
    ),
    max_spend_usd_per: Type.Optional(SpendPerPeriod),
    max_overrun_pct: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        description:
          'How much more than its authorized spend a completed action may cost, in percent. An action that costs more is stored with `exceeded: true`, counts as failed, and suspends the token. 0 by default if the token has a spend limit or needs approvals; otherwise there is no such limit.',
      }),
    ),
    max_actions: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'Maximum number of actions in total.',
      }),
    ),
    max_actions_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Maximum number of actions per clock minute.',
      }),
    ),
    not_before: Type.Optional(
      described(
        GivenInstant,
        'The token allows nothing before this instant. It must be before the token expires.',
      ),
    ),
    expires_at: Type.Optional(
      described(GivenInstant, 'The token allows nothing from this instant on. It must be in the future.'),
    ),
    active_hours: Type.Optional(ActiveHours),
    max_delegation_depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: 'Maximum number of delegations below this token. 0 forbids delegation.',
      }),
    ),
    require_approval: Type.Optional(RequireApproval),
    arguments: Type.Optional(ArgumentLimits),
    min_reputation: Type.Optional(
      described(
        Score,
        'Minimum `gate_score` of the acting agent. An agent without observed or rated actions has a gate score of 0.',
      ),
    ),
    min_vouch_score: Type.Optional(
      described(
        Score,
        'Minimum score of the acting agent, from vouches without a context (GET /v1/vat/trust/scores/{subject}). The score is computed in the background, at most 5 seconds after a change. An agent whose score has not been computed yet has 0.',
      ),
    ),
    verification_providers: Type.Optional(
      Type.Array(ProviderText, {
        minItems: 1,
        maxItems: 16,
        foldsRepeats: true,
        description:
          'The person behind the token was verified by one of these providers. A token that does not meet this is not issued.',
      }),
    ),
    allowed_audiences: Type.Optional(
      Type.Array(described(Audience, 'A service.'), {
        minItems: 1,
        maxItems: 32,
        foldsRepeats: true,
        description:
          'Audiences that tokens of this chain can name. The audience of the token itself, sent or inherited from its parent, must be one of these.',
      }),
    ),
  },
  {
    title: 'Constraints',
    patternProperties: { [EXTENSION]: {} },
    additionalProperties: false,
    maxProperties: 32,
    description:
      'Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers.',
  },
)
export type Constraints = Static<typeof Constraints>
