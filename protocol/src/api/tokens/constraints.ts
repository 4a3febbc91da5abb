import { type Static, Type } from 'typebox'
import { Action, Closed, OneOf, ResourcePattern, Usd } from '../shapes.ts'

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export const ActiveHours = Closed(
  {
    time_zone: Type.String({
      format: 'time-zone',
      description: 'IANA name of the zone the hours are told in.',
      examples: ['Europe/Berlin'],
    }),
    days: Type.Optional(
      Type.Array(OneOf(DAYS), {
        minItems: 1,
        maxItems: 7,
        uniqueItems: true,
        description: 'Every day when absent.',
      }),
    ),
    from: Type.String({ format: 'hour', description: 'First minute, HH:MM.', examples: ['09:00'] }),
    to: Type.String({
      format: 'hour',
      description: 'End, HH:MM, not included; 24:00 is midnight. Earlier than from: over midnight.',
      examples: ['17:30'],
    }),
  },
  { description: 'The token allows actions only within these hours.' },
)
export type ActiveHours = Static<typeof ActiveHours>

export const RequireApproval = Closed(
  {
    actions: Type.Optional(Type.Array(Action, { minItems: 1, maxItems: 64, uniqueItems: true })),
    resources: Type.Optional(Type.Array(ResourcePattern, { minItems: 1, maxItems: 64, uniqueItems: true })),
    above_usd: Type.Optional(Usd),
    auto_approve_after: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description:
          'After so many approvals of the same agent, action and resource without a denial, approve by itself. Every tenth ask still goes to the human, and the habit ends 30 days after the last human approval.',
      }),
    ),
  },
  {
    description:
      'A human decides first when the action is named, the resource is named, or the spend is above the amount; every action when none of them is given.',
  },
)
export type RequireApproval = Static<typeof RequireApproval>

const EXTENSION = '^x_[a-z0-9_]{1,62}$'

/** Limits carried by a token and enforced by the service at every link of a chain. */
export const Constraints = Type.Object(
  {
    max_spend_usd: Type.Optional(Usd),
    max_spend_per_action_usd: Type.Optional(Usd),
    max_actions: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'How many actions the token may take in all.',
      }),
    ),
    max_actions_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'How many actions the token may take in one minute of the clock.',
      }),
    ),
    not_before: Type.Optional(
      Type.String({ format: 'date-time', description: 'The token allows nothing before this instant.' }),
    ),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'The token allows nothing from this instant on.' }),
    ),
    active_hours: Type.Optional(ActiveHours),
    max_delegation_depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: 'How many delegations may follow below this token; 0 for none.',
      }),
    ),
    require_approval: Type.Optional(RequireApproval),
    min_reputation: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The acting agent needs at least this combined reputation.',
      }),
    ),
    allowed_audiences: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        minItems: 1,
        maxItems: 32,
        uniqueItems: true,
        description: 'Services that tokens of this chain may be meant for.',
      }),
    ),
  },
  {
    patternProperties: { [EXTENSION]: {} },
    additionalProperties: false,
    maxProperties: 32,
    description:
      'Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers.',
  },
)
export type Constraints = Static<typeof Constraints>
