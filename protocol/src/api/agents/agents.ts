import { type TSchema, Type } from 'typebox'
import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import {
  AgentId,
  Closed,
  Instant,
  PageOf,
  PageQuery,
  RevokedAll,
  RevokeReason,
  StoredAgentId,
} from '../shapes.ts'

const Score = Type.Number({ minimum: 0, maximum: 1 })
const Interval = Closed({ low: Score, high: Score }, { description: '95 % Wilson interval.' })
const Count = Type.Integer({ minimum: 0 })

export const Reputation = Closed({
  agent_id: StoredAgentId,
  total_actions: Type.Integer({ minimum: 0, description: 'Every record, pending ones included.' }),
  execution_score: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Mean outcome of completed actions; 0.5 without any.',
  }),
  feedback_score: Type.Number({ minimum: 0, maximum: 1, description: 'Mean human rating; 0.5 without any.' }),
  combined_reputation: Type.Number({
    minimum: 0,
    maximum: 1,
    description: '0.6 x execution_score + 0.4 x feedback_score.',
  }),
  has_human_feedback: Type.Boolean(),
  completed_actions: Count,
  ratings: Closed({ approved: Count, flagged: Count, rejected: Count }),
  execution_interval: Interval,
  feedback_interval: Interval,
  first_seen_at: Instant,
  last_action_at: Type.Optional(Instant),
})

export const getReputation = operation({
  method: 'GET',
  path: '/v1/vat/reputation/{agent_id}',
  tag: 'Reputation',
  summary: 'Reputation of an agent',
  description: 'From recorded outcomes (60 %) and human ratings (40 %).',
  params: Closed({ agent_id: AgentId }),
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
  display_name: Type.String({ minLength: 1, maxLength: 128 }),
  owner: Type.String({ minLength: 1, maxLength: 256, description: 'Who runs it.' }),
  model: Type.String({ minLength: 1, maxLength: 128 }),
  url: Type.String({ minLength: 1, maxLength: 512 }),
}

const AgentView = Closed({
  agent_id: StoredAgentId,
  display_name: Type.Optional(Type.String()),
  owner: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  suspended: Type.Boolean(),
  suspended_at: Type.Optional(Instant),
  total_actions: Count,
  combined_reputation: Score,
  has_human_feedback: Type.Boolean(),
  first_seen_at: Instant,
  last_action_at: Type.Optional(Instant),
})

const AgentPath = Closed({ agent_id: AgentId })

export const registerAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents',
  tag: 'Agents',
  summary: 'Register an agent',
  description:
    'An agent appears with its first token; registering says more about it. Again: the named members are set.',
  body: Closed({
    agent_id: AgentId,
    display_name: Type.Optional(AgentProfile.display_name),
    owner: Type.Optional(AgentProfile.owner),
    model: Type.Optional(AgentProfile.model),
    url: Type.Optional(AgentProfile.url),
  }),
  example: { agent_id: 'calendar-bot', display_name: 'Calendar bot', owner: 'platform team' },
  status: 201,
  response: AgentView,
  access: { operator: 'tenant', developer: 'tenant' },
  errors: [],
})

export const listAgents = operation({
  method: 'GET',
  path: '/v1/vat/agents',
  tag: 'Agents',
  summary: 'Query agents',
  description: 'Newest first.',
  query: Closed({ ...PageQuery }),
  response: PageOf(AgentView),
  access: STAFF,
  errors: [],
})

export const getAgent = operation({
  method: 'GET',
  path: '/v1/vat/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Read an agent',
  params: AgentPath,
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), ...STAFF, human: 'tenant' },
  errors: ['agent_unknown'],
})

const orNull = (schema: TSchema) =>
  Type.Optional(Type.Unsafe<string | null>({ anyOf: [schema, { type: 'null' }] }))

export const updateAgent = operation({
  method: 'PATCH',
  path: '/v1/vat/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Change what is known about an agent',
  description: 'The named members are set, null takes one away, the others stay.',
  params: AgentPath,
  body: Closed({
    display_name: orNull(AgentProfile.display_name),
    owner: orNull(AgentProfile.owner),
    model: orNull(AgentProfile.model),
    url: orNull(AgentProfile.url),
  }),
  example: { owner: 'platform team', model: null },
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})

export const suspendAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents/{agent_id}/suspend',
  tag: 'Agents',
  summary: 'Suspend an agent',
  description:
    'Everything it holds, and everything it passed on, is frozen until it is resumed. It gets no new tokens meanwhile.',
  params: AgentPath,
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})

export const resumeAgent = operation({
  method: 'POST',
  path: '/v1/vat/agents/{agent_id}/resume',
  tag: 'Agents',
  summary: 'Resume a suspended agent',
  params: AgentPath,
  response: AgentView,
  access: { ...about('agent', '/params/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})

export const getReputationHistory = operation({
  method: 'GET',
  path: '/v1/vat/reputation/{agent_id}/history',
  tag: 'Reputation',
  summary: 'Reputation of an agent over time',
  description:
    'One entry for each day on which something happened, oldest first, at most 366. Scores are those of that day alone.',
  params: AgentPath,
  query: Closed({ bucket: Type.Optional(Type.Literal('day')) }),
  response: Closed({
    agent_id: StoredAgentId,
    data: Type.Array(
      Closed({
        day: Type.String({ examples: ['2027-01-31'] }),
        total_actions: Count,
        completed_actions: Count,
        execution_score: Score,
        feedback_score: Score,
        ratings: Closed({ approved: Count, flagged: Count, rejected: Count }),
      }),
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
  description:
    'The best 200 at most. lower_bound ranks by what the evidence supports, so that one good action does not win.',
  query: Closed({
    sort: Type.Optional(
      Type.Unsafe<'combined' | 'lower_bound'>({ type: 'string', enum: ['combined', 'lower_bound'] }),
    ),
    limit: PageQuery.limit,
  }),
  response: Closed({ data: Type.Array(Reputation) }),
  access: { ...STAFF, human: 'tenant' },
  errors: [],
})

export const revokeAgent = operation({
  method: 'POST',
  path: '/v1/vat/revoke/agent',
  tag: 'Revocation',
  summary: 'Revoke every token of an agent',
  description:
    'Silences what it holds and everything below that; revoked_count counts what it holds. Tokens issued later are not touched: suspend the agent to stop those too.',
  body: Closed({ agent_id: AgentId, reason: RevokeReason }),
  example: { agent_id: 'calendar-bot' },
  response: Closed({ ...RevokedAll, agent_id: StoredAgentId }),
  access: { ...about('agent', '/body/agent_id'), operator: 'tenant', developer: 'tenant' },
  errors: ['agent_unknown'],
})
