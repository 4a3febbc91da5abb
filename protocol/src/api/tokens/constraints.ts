import { type Static, Type } from 'typebox'
import {
  Action,
  Audience,
  Closed,
  described,
  GivenInstant,
  OneOf,
  ResourcePattern,
  Score,
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
        uniqueItems: true,
        description: 'Days on which the hours apply. Every day by default.',
      }),
    ),
    from: Text('First minute, as HH:MM.', { format: 'hour', examples: ['09:00'] }),
    to: Text(
      'End, as HH:MM, exclusive. 24:00 is midnight. If it is earlier than `from`, the hours run past midnight.',
      { format: 'hour', examples: ['17:30'] },
    ),
  },
  { title: 'ActiveHours', description: 'Hours within which the token allows actions.' },
)
export type ActiveHours = Static<typeof ActiveHours>

const ApprovalNames = { minItems: 1, maxItems: 64, uniqueItems: true }

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
          'After this many approvals of the same agent, action and resource without a denial, approve automatically. Every tenth request still goes to the person, and the habit ends 30 days after the last approval by a person.',
      }),
    ),
  },
  {
    title: 'RequireApproval',
    description:
      'A person must approve an action first if its action or resource is listed or its spend is above the amount. If none of these is given, every action needs approval.',
  },
)
export type RequireApproval = Static<typeof RequireApproval>

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
    min_reputation: Type.Optional(described(Score, 'Minimum combined reputation of the agent that acts.')),
    allowed_audiences: Type.Optional(
      Type.Array(described(Audience, 'A service.'), {
        minItems: 1,
        maxItems: 32,
        uniqueItems: true,
        description:
          'Audiences that tokens of this chain can name. If you also send `audience`, it must be one of these.',
      }),
    ),
  },
  {
    title: 'Constraints',
    patternProperties: { [EXTENSION]: {} },
    additionalProperties: false,
    maxProperties: 32,
    description:
      'Limits that the service enforces. Each can only become narrower along a chain. Members that start with x_ are passed on unchanged, for resource servers.',
  },
)
export type Constraints = Static<typeof Constraints>
