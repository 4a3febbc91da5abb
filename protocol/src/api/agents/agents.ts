import type { TSchema } from 'typebox'
import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentId,
  AgentRef,
  Closed,
  Count,
  CountedPageOf,
  described,
  Flag,
  Instant,
  OneOf,
  PageQuery,
  RevokedAll,
  RevokeReason,
  Score,
  SearchText,
  StoredAgentId,
  Text,
  TotalQuery,
} from '../shapes.ts'
import { ShownSuspendReason, SuspendedAt, SuspendedBy, SuspendReason } from '../tokens/suspension.ts'
import { AgentJwk } from '../tokens/tokens.ts'

const Interval = Closed(
  { low: described(Score, 'Lower bound.'), high: described(Score, 'Upper bound.') },
  { title: 'Interval', description: '95 % Wilson confidence interval.' },
)
const RatingCounts = Closed(
  {
    approved: Count('Actions rated approved.'),
    flagged: Count('Actions rated flagged.'),
    rejected: Count('Actions rated rejected.'),
  },
  { title: 'RatingCounts', description: 'Number of actions by rating.' },
)
const CombinedReputation = described(Score, '0.6 × execution_score + 0.4 × feedback_score.')
const HasFeedback = Flag('Whether any action has been rated.')
const LastActionAt = Type.Optional(described(Instant, 'When the agent last acted.'))
const FirstSeenAt = described(Instant, 'When the agent got its first token or was registered.')

export const Reputation = Closed(
  {
    agent_id: StoredAgentId,
    total_actions: Count('All action records, pending ones included.'),
    execution_score: described(Score, 'Mean outcome of completed actions. 0.5 if there are none.'),
    feedback_score: described(Score, 'Mean rating. 0.5 if there are none.'),
    combined_reputation: CombinedReputation,
    has_human_feedback: HasFeedback,
    gate_score: described(
      Score,
      'The score that the constraint `min_reputation` requires: the lower end of the 95 % Wilson interval over outcomes that resource servers observed and ratings by people. Outcomes that the agent reports itself count a quarter, and together never more than that evidence. 0 without observed or rated actions.',
    ),
    completed_actions: Count('Completed action records.'),
    ratings: RatingCounts,
    execution_interval: described(Interval, '95 % Wilson confidence interval of execution_score.'),
    feedback_interval: described(Interval, '95 % Wilson confidence interval of feedback_score.'),
    first_seen_at: FirstSeenAt,
    last_action_at: LastActionAt,
  },
  { title: 'Reputation', description: 'How well an agent has done, from outcomes and ratings.' },
)

const AgentPath = Closed({ agent_id: AgentRef })

export const getReputation = operation({
  method: 'GET',
  path: '/v1/vat/reputation/{agent_id}',
  tag: 'Reputation',
  summary: 'Get the reputation of an agent',
  description: 'Computed from recorded outcomes (60 %) and ratings (40 %).',
  params: AgentPath,
  response: Reputation,
  access: {
    ...about('agent', '/params/agent_id'),
    ...STAFF,
    human: 'tenant',
    agent: 'tenant',
    resource_server: 'tenant',
  },
  errors: ['agent_unknown'],
})

const AgentProfile = {
  display_name: Text('Name to show to people.', { minLength: 1, maxLength: 128, examples: ['Calendar bot'] }),
  owner: Text('Who runs the agent.', { minLength: 1, maxLength: 256, examples: ['platform team'] }),
  model: Text('Model that the agent uses.', { minLength: 1, maxLength: 128 }),
  url: Text('Address of the agent or its documentation. Not checked.', { minLength: 1, maxLength: 512 }),
}

const Owner = Type.String({
  title: 'AgentOwner',
  pattern: '^(key:[0-9A-Za-z]{8}|human:sha256:[0-9a-f]{64}|agent:[^:]{1,128}|\\*)$',
  description:
    'An owner of an agent: `key:<key_id>` for an API key and its successors, `human:<human_ref>` for a person, `agent:<agent_id>` for an agent that may delegate to it, or `*` for every developer and person of the tenant.',
  examples: ['key:8fJ2kLm1'],
})
const Owners = Type.Array(Owner, {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    'Who may issue tokens to the agent and delegate to it, in keyed mode. By default the first caller who uses the name.',
})
const Thumbprint = Text('SHA-256 thumbprint of a key (RFC 7638).', { pattern: '^[A-Za-z0-9_-]{43}$' })
const Keys = Type.Array(AgentJwk, {
  maxItems: 16,
  description: 'Public keys of the agent to add. Keys of its tokens are added by themselves.',
})

/** Days of an agent's activity in an answer, including the current day. */
export const ACTIVITY_DAYS = 14

const ACTIVITY = {
  allowed: Count('Actions that were authorized.'),
  denied: Count('Actions that were denied.'),
  spend_usd: Type.Number({ description: 'US dollars spent.' }),
}

const AgentActivity = Closed(
  {
    ...ACTIVITY,
    last_denied_at: Type.Optional(described(Instant, 'When an action was last denied, in these days.')),
    days: Type.Array(Closed({ start: described(Instant, 'When the day began, in UTC.'), ...ACTIVITY }), {
      description: 'The days with activity, oldest first.',
    }),
  },
  {
    title: 'AgentActivity',
    description: `What the agent did in the last ${ACTIVITY_DAYS} days, today included. In lists, with \`expand=activity\`.`,
  },
)

const AgentView = Closed(
  {
    agent_id: StoredAgentId,
    display_name: Type.Optional(Text('Name to show to people.')),
    owner: Type.Optional(Text('Who runs the agent.')),
    model: Type.Optional(Text('Model that the agent uses.')),
    url: Type.Optional(Text('Address of the agent or its documentation.')),
    owned_by: Type.Optional(
      Type.Array(Owner, { description: 'Who may use the name. Absent while the name has no owner.' }),
    ),
    keys: Type.Optional(
      Type.Array(Thumbprint, {
        description: 'Thumbprints of the newest 100 keys of the agent. Absent in lists and without keys.',
      }),
    ),
    live_tokens: Type.Optional(
      Count(
        'In lists: tokens of the agent that are neither expired nor revoked themselves, among its newest 200.',
      ),
    ),
    activity: Type.Optional(AgentActivity),
    suspended: Flag('Whether the agent is suspended.'),
    suspended_at: SuspendedAt,
    suspended_by: SuspendedBy,
    suspend_reason: ShownSuspendReason,
    total_actions: Count('All action records of the agent.'),
    combined_reputation: CombinedReputation,
    has_human_feedback: HasFeedback,
    first_seen_at: FirstSeenAt,
    last_action_at: LastActionAt,
  },
  { title: 'Agent', description: 'An agent and its profile.' },
)

export const registerAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents',
  tag: 'Agents',
  summary: 'Register an agent',
  description:
    'Adds a profile to an agent, and keys. Agents exist from their first token on, so registering is optional. In keyed mode you become the owner of an agent that has none. Registering again sets the fields that you send.',
  body: Closed({
    agent_id: AgentId,
    display_name: Type.Optional(AgentProfile.display_name),
    owner: Type.Optional(AgentProfile.owner),
    model: Type.Optional(AgentProfile.model),
    url: Type.Optional(AgentProfile.url),
    owned_by: Type.Optional(Owners),
    add_keys: Type.Optional(Keys),
  }),
  status: 201,
  response: AgentView,
  access: { operator: 'tenant', developer: 'tenant' },
  errors: ['agent_taken', 'token_not_live'],
})

export const listAgents = operation({
  method: 'GET',
  path: '/v1/vat/agents',
  tag: 'Agents',
  summary: 'List agents',
  description:
    'Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true. Another `sort` returns one page of the newest 1,000 agents that match.',
  query: Closed({
    status: Type.Optional(
      OneOf(['active', 'suspended'], { description: 'Only active or suspended agents.' }),
    ),
    agent_ids: Type.Optional(
      Text('Only these agents: up to 100 names, separated by commas. Returned in this order, as one page.', {
        pattern: '^[^,]+(,[^,]+){0,99}$',
        maxLength: 13_500,
        examples: ['calendar-bot,trip-bot'],
      }),
    ),
    q: SearchText('the name of the agent, its display name, its owner or its model.'),
    sort: Type.Optional(
      OneOf(['newest', 'name', 'last_action', 'actions', 'reputation'], {
        description:
          'newest by default. name: by display name, else by name. last_action: who acted last. actions: most actions. reputation: highest combined_reputation.',
      }),
    ),
    expand: Type.Optional(
      OneOf(['activity'], { description: 'activity: add what each agent did in the last 14 days.' }),
    ),
    ...TotalQuery,
    ...PageQuery,
  }),
  response: CountedPageOf(AgentView),
  access: STAFF,
  errors: [],
})

export const getAgent = operation({
  method: 'GET',
  path: '/v1/vat/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Get an agent',
  params: AgentPath,
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), ...STAFF, human: 'tenant' },
  errors: ['agent_unknown'],
})

const orNull = ({ description, ...schema }: TSchema & { readonly description?: string }) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      anyOf: [schema, { type: 'null' }],
      description: `${description} Null removes it.`,
    }),
  )

export const updateAgent = operation({
  method: 'PATCH',
  path: '/v1/vat/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Update the profile of an agent',
  description:
    'Sets the fields that you send. Null removes a field; fields that you leave out do not change. In keyed mode only an owner of the agent or an operator may do this. To rotate a key, add the new one, then remove the old one.',
  params: AgentPath,
  body: Closed({
    display_name: orNull(AgentProfile.display_name),
    owner: orNull(AgentProfile.owner),
    model: orNull(AgentProfile.model),
    url: orNull(AgentProfile.url),
    owned_by: Type.Optional(Owners),
    add_keys: Type.Optional(Keys),
    remove_keys: Type.Optional(
      Type.Array(Thumbprint, {
        maxItems: 100,
        description:
          'Thumbprints of keys that the agent no longer uses. No new token is bound to them; tokens that are bound to them stay valid until they expire or you revoke them.',
      }),
    ),
  }),
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown', 'agent_taken', 'token_not_live'],
})

export const suspendAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents/{agent_id}/suspend',
  tag: 'Agents',
  summary: 'Suspend an agent',
  description:
    'Freezes every token of the agent and every token delegated from those, until it is resumed by a caller of your rank or a higher one. A suspended agent gets no new tokens. Every agent that shares a key with this one is suspended too, because a key is one program, whatever its name. Resume each of them separately.',
  params: AgentPath,
  body: Closed({ reason: SuspendReason }),
  response: AgentView,
  lane: 'stop',
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})

export const resumeAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents/{agent_id}/resume',
  tag: 'Agents',
  summary: 'Resume a suspended agent',
  description: 'Needs the rank of the caller who suspended the agent, or a higher one.',
  params: AgentPath,
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown', 'rank_too_low'],
})

export const revokeAgent = operation({
  method: 'POST',
  path: '/v1/vat/revoke/agent',
  tag: 'Revocation',
  summary: 'Revoke every token of an agent',
  description:
    'Revokes the tokens of the agent and every token delegated from those. `revoked_count` counts the tokens of the agent. Tokens issued later are not affected: suspend the agent to stop those too.',
  body: Closed({ agent_id: AgentRef, reason: RevokeReason }),
  response: Closed({ ...RevokedAll, agent_id: StoredAgentId }),
  lane: 'stop',
  access: { ...about('agent', '/body/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})

export const getReputationHistory = operation({
  method: 'GET',
  path: '/v1/vat/reputation/{agent_id}/history',
  tag: 'Reputation',
  summary: 'Get the reputation of an agent over time',
  description:
    'One entry for each day with activity, oldest first, at most 366. Scores cover that day alone, except `combined_reputation` and its interval.',
  params: AgentPath,
  query: Closed({ bucket: Type.Optional(Type.Literal('day', { description: 'Length of one entry.' })) }),
  response: Closed({
    agent_id: StoredAgentId,
    data: Type.Array(
      Closed({
        day: Text('Day in UTC, as YYYY-MM-DD.', { examples: ['2027-01-31'] }),
        total_actions: Count('Action records created on this day.'),
        completed_actions: Count('Actions completed on this day.'),
        execution_score: described(Score, 'Mean outcome of this day. 0.5 if there is none.'),
        feedback_score: described(Score, 'Mean rating of this day. 0.5 if there is none.'),
        ratings: RatingCounts,
        combined_reputation: described(
          Score,
          '0.6 × execution_score + 0.4 × feedback_score of everything up to the end of this day.',
        ),
        combined_interval: described(
          Interval,
          'Where combined_reputation may lie: 0.6 × the 95 % interval of the execution score + 0.4 × that of the feedback score, of everything up to the end of this day.',
        ),
      }),
      { description: 'The days, oldest first.' },
    ),
  }),
  access: {
    ...about('agent', '/params/agent_id'),
    ...STAFF,
    human: 'tenant',
    agent: 'tenant',
    resource_server: 'tenant',
  },
  errors: ['agent_unknown'],
})

export const rankAgents = operation({
  method: 'GET',
  path: '/v1/vat/reputation',
  tag: 'Reputation',
  summary: 'Rank agents by reputation',
  description: 'The best agents, at most 200.',
  query: Closed({
    sort: Type.Optional(
      OneOf(['combined', 'lower_bound'], {
        description:
          'combined ranks by combined_reputation. lower_bound ranks by the lower ends of the intervals, so that one good action does not win. combined by default.',
      }),
    ),
    limit: PageQuery.limit,
  }),
  response: Closed({ data: Type.Array(Reputation, { description: 'The agents, best first.' }) }),
  access: { ...STAFF, human: 'tenant' },
  errors: [],
})
