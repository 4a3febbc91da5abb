import { STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Action,
  AgentRef,
  Closed,
  Count,
  described,
  Flag,
  GivenInstant,
  Instant,
  OneOf,
  Resource,
  StoredAgentId,
  Text,
} from '../shapes.ts'

export const STATS_BUCKETS = ['minute', 'hour', 'day', 'all'] as const
export type StatsBucket = (typeof STATS_BUCKETS)[number]

export const STATS_GROUPS = ['agent', 'action', 'resource', 'action,resource', 'reason', 'tenant'] as const
export type StatsGroup = (typeof STATS_GROUPS)[number]

/** The most groups in an answer. The rest are summed as `other`. */
export const MOST_GROUPS = 100

const Measures = {
  allowed: Count('Actions that were allowed in this time.'),
  completed: Count('Actions that were completed, whatever their result.'),
  succeeded: Count('Completed actions with the result success.'),
  cancelled: Count('Pending actions that were cancelled.'),
  expired: Count('Pending actions that expired.'),
  denied: Count('Actions that were denied.'),
  spend_usd: Type.Number({
    minimum: 0,
    description: 'Spend of the actions that were completed in this time, in US dollars.',
    examples: [12.5],
  }),
  approvals_asked: Count('Questions that went to a person.'),
  approvals_automatic: Count('Approvals that a habit or a grant gave, without asking a person.'),
  approvals_approved: Count('Questions that people approved in this time.'),
  approvals_denied: Count('Questions that people denied in this time.'),
  mean_decision_ms: Type.Optional(
    Count('How long people took for these decisions, on average. Absent if there are none.'),
  ),
}

const Group = {
  agent_id: Type.Optional(described(StoredAgentId, 'The agent, with `group_by=agent`.')),
  action: Type.Optional(Text('The action, with `group_by=action`.', { examples: ['read'] })),
  resource: Type.Optional(Text('The resource, with `group_by=resource`.', { examples: ['calendar:events'] })),
  reason: Type.Optional(
    Text('The reason of the denials, with `group_by=reason`.', { examples: ['action_not_in_scope'] }),
  ),
  tenant_id: Type.Optional(Text('The tenant, with `group_by=tenant`.', { examples: ['default'] })),
  other: Type.Optional(
    Type.Literal(true, { description: 'All groups beyond `limit`, added up. They have no name here.' }),
  ),
}

export const getStats = operation({
  method: 'GET',
  path: '/v1/vat/stats',
  tag: 'Stats',
  summary: 'Count actions, denials, spend and approvals',
  description:
    'Counts over time, for one tenant. Counters are written in the commit that they count, so a response is never behind. It reads at most 20,000 counters, however many records there are. A query that needs more is refused with a hint on how to narrow it. Buckets begin at full minutes, hours and days in UTC; those without activity are left out. Minutes are kept for 7 days and only for the whole tenant. A denial with several reasons counts once for each with `group_by=reason`, and once otherwise. People cannot make this call: they see their own records and approvals.',
  query: Closed({
    from: Type.Optional(
      described(GivenInstant, 'Start, rounded down to a full bucket. 24 hours before `to` by default.'),
    ),
    to: Type.Optional(
      described(GivenInstant, 'End. The bucket that contains it is included. Now by default.'),
    ),
    bucket: Type.Optional(
      OneOf(STATS_BUCKETS, {
        description:
          'Length of one bucket. `all` adds up the whole time, in full days. hour by default; at most 1,500 buckets.',
      }),
    ),
    group_by: Type.Optional(
      OneOf(STATS_GROUPS, {
        description:
          'Group the counts. `action,resource` gives one group for each pair. `tenant` shows all tenants to operators and auditors of the tenant `default`.',
      }),
    ),
    agent_id: Type.Optional(described(AgentRef, 'Only this agent.')),
    action: Type.Optional(described(Action, 'Only this action.')),
    resource: Type.Optional(described(Resource, 'Only this resource.')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_GROUPS,
        description: 'How many groups to show, the busiest first. 20 by default.',
      }),
    ),
  }),
  response: Closed({
    from: described(Instant, 'Where the first bucket begins.'),
    to: described(Instant, 'Where the last bucket ends.'),
    bucket: OneOf(STATS_BUCKETS, { description: 'Length of one bucket.' }),
    group_by: Type.Optional(OneOf(STATS_GROUPS, { description: 'What the counts are grouped by.' })),
    totals: Closed(Measures, { title: 'StatsCounts', description: 'Everything in the answer, added up.' }),
    truncated: Flag('Whether there are more groups than shown. They are added up as `other`.'),
    data: Type.Array(
      Closed(
        { start: described(Instant, 'Where the bucket begins.'), ...Group, ...Measures },
        { title: 'StatsRow', description: 'The counts of one bucket and group.' },
      ),
      { description: 'In the order of time; within a bucket the busiest group first.' },
    ),
  }),
  access: STAFF,
  errors: [],
})
