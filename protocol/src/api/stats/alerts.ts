import { STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentRef,
  Closed,
  Count,
  described,
  Flag,
  GivenInstant,
  Instant,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  StoredAgentId,
  Text,
} from '../shapes.ts'
import { ALERT_CONDITIONS, ALERT_EFFECTS } from './alert-words.ts'

const RuleId = Type.String({
  minLength: 1,
  maxLength: 128,
  title: 'AlertRuleId',
  description: 'Rule ID. Starts with alr_.',
  examples: ['alr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

const CONDITION_FIELDS = {
  kind: OneOf(ALERT_CONDITIONS, {
    description:
      'denials: more than `more_than` denials within `within_minutes`. budget: a budget of the agent reached `percent`. rejected: a person rated an action rejected. chain: the agent got a token deeper than `deeper_than`. new_use: the agent did something (`of: action`) or acted on something (`of: resource`) for the first time ever. unusual_hours: it acted at an hour of the day (UTC) when it never acts, not even an hour before or after. spend_rate: it spent in one hour more than `times` its highest hour, and at least `at_least_usd`. The last three compare with the 28 days before, and wait until the agent has acted on 7 days.',
  }),
  more_than: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000, description: 'For denials.' })),
  within_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440, description: 'For denials.' })),
  percent: Type.Optional(
    Type.Unsafe<number>({ type: 'integer', enum: [50, 80, 100], description: 'For budget.' }),
  ),
  deeper_than: Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description: 'For chain.' })),
  of: Type.Optional(OneOf(['action', 'resource'], { description: 'For new_use.' })),
  times: Type.Optional(Type.Number({ minimum: 1, maximum: 1000, description: 'For spend_rate.' })),
  at_least_usd: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000_000, description: 'For spend_rate.' }),
  ),
}

const CONDITION_WORDS = 'When the rule fires. A condition has exactly the members of its kind.'
/** A condition in a request. */
const Condition = Closed(CONDITION_FIELDS, { title: 'AlertCondition', description: CONDITION_WORDS })
/** A condition in an answer. */
const StoredCondition = Closed(CONDITION_FIELDS, {
  title: 'StoredAlertCondition',
  description: CONDITION_WORDS,
})

const RuleFields = {
  name: Text('What to call the rule.', { minLength: 1, maxLength: 100, examples: ['Many denials'] }),
  condition: Condition,
  effect: OneOf(ALERT_EFFECTS, {
    description:
      'notify: only an event and an entry in the list of alerts. ask: every action of the agent, and of agents it delegated to, needs the approval of a person for `ask_minutes`. suspend: the agent is suspended until a person or an operator resumes it.',
  }),
  agent_id: Type.Optional(described(AgentRef, 'Only this agent. Every agent of the tenant by default.')),
  window_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description:
        'The rule fires at most once for each agent in each window of this many minutes. 60 by default.',
    }),
  ),
  ask_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description: 'How long the agent has to ask. 60 by default.',
    }),
  ),
  enabled: Type.Optional(Flag('Whether the rule is evaluated. true by default.')),
}

const Rule = Closed(
  {
    rule_id: RuleId,
    name: RuleFields.name,
    condition: StoredCondition,
    effect: RuleFields.effect,
    agent_id: Type.Optional(described(StoredAgentId, 'The only agent that the rule watches.')),
    window_minutes: Count('Length of a window in minutes.'),
    ask_minutes: Count('How long the agent has to ask, if the effect is ask.'),
    enabled: Flag('Whether the rule is evaluated.'),
    suggestion: Type.Optional(
      Text('The suggestion that the rule was made from.', { examples: ['denial-burst'] }),
    ),
    created_at: described(
      Instant,
      'When the rule was created or last changed. It begins with the next full minute or, for new_use, unusual_hours and spend_rate, the next full hour. Earlier activity does not count.',
    ),
    log_index: LogIndex,
  },
  { title: 'AlertRule', description: 'A rule about the agents of a tenant.' },
)

const OPERATORS = { operator: 'tenant' } as const
const RulePath = Closed({ rule_id: RuleId })

export const createAlertRule = operation({
  method: 'POST',
  path: '/v1/vat/alerts/rules',
  tag: 'Alerts',
  summary: 'Create an alert rule',
  description:
    'Rules are evaluated about once a second, from counters, and never delay an action. A new rule begins with the next full minute or, for new_use, unusual_hours and spend_rate, with the next full hour. A tenant has at most 50.',
  body: Closed(RuleFields),
  status: 201,
  response: Rule,
  access: OPERATORS,
  errors: ['too_many_rules', 'registry_conflict'],
})

export const suggestAlertRules = operation({
  method: 'POST',
  path: '/v1/vat/alerts/rules/suggested',
  tag: 'Alerts',
  summary: 'Switch on the suggested rules',
  description:
    'Creates a rule for each suggestion that the tenant has no rule for yet. All of them only notify. Calling it again changes nothing.',
  response: Closed({ data: Type.Array(Rule, { description: 'The rules that were created.' }) }),
  access: OPERATORS,
  errors: ['too_many_rules', 'registry_conflict'],
})

export const listAlertRules = operation({
  method: 'GET',
  path: '/v1/vat/alerts/rules',
  tag: 'Alerts',
  summary: 'List alert rules',
  query: Closed(PageQuery),
  response: PageOf(Rule),
  access: STAFF,
  errors: [],
})

export const getAlertRule = operation({
  method: 'GET',
  path: '/v1/vat/alerts/rules/{rule_id}',
  tag: 'Alerts',
  summary: 'Get an alert rule',
  params: RulePath,
  response: Rule,
  access: STAFF,
  errors: ['rule_unknown'],
})

export const updateAlertRule = operation({
  method: 'PATCH',
  path: '/v1/vat/alerts/rules/{rule_id}',
  tag: 'Alerts',
  summary: 'Change an alert rule',
  description:
    'Fields that you leave out do not change. The changed rule begins like a new one: what happened before does not count, and it can fire again in the same window.',
  params: RulePath,
  body: Closed({
    name: Type.Optional(RuleFields.name),
    condition: Type.Optional(Condition),
    effect: Type.Optional(RuleFields.effect),
    window_minutes: RuleFields.window_minutes,
    ask_minutes: RuleFields.ask_minutes,
    enabled: RuleFields.enabled,
  }),
  response: Rule,
  access: OPERATORS,
  errors: ['rule_unknown', 'registry_conflict'],
})

export const deleteAlertRule = operation({
  method: 'DELETE',
  path: '/v1/vat/alerts/rules/{rule_id}',
  tag: 'Alerts',
  summary: 'Delete an alert rule',
  description:
    'Alerts that it has fired stay, and so do the suspensions and approval requirements they caused.',
  params: RulePath,
  response: Closed({ deleted: Type.Literal(true, { description: 'The rule is gone.' }), rule_id: RuleId }),
  access: OPERATORS,
  errors: ['rule_unknown', 'registry_conflict'],
})

const Firing = {
  agent_id: StoredAgentId,
  at: described(Instant, 'When the condition held: the start of that minute or hour.'),
  explanation: Text('Why, in words.', { examples: ['17 denials in 5 minutes; usual is 0 to 2'] }),
}

export const dryRunAlertRule = operation({
  method: 'POST',
  path: '/v1/vat/alerts/rules/dry-run',
  tag: 'Alerts',
  summary: 'Try a rule on the past',
  description:
    'Returns when a rule would have fired, computed from the same counters by the same code. Stores nothing. Does not account for actions that the effect would have prevented.',
  body: Closed({
    condition: Condition,
    agent_id: RuleFields.agent_id,
    window_minutes: RuleFields.window_minutes,
    from: Type.Optional(described(GivenInstant, 'Start. 7 days ago by default, which is as far as it goes.')),
  }),
  response: Closed({
    from: described(Instant, 'When the time range begins.'),
    to: described(Instant, 'Where it ends: now.'),
    count: Count('How often the rule would have fired.'),
    truncated: Flag('Whether `data` shows fewer, or there are more agents than one response considers.'),
    data: Type.Array(
      Closed(Firing, { title: 'AlertFiring', description: 'A firing that would have been.' }),
      {
        description: 'At most 100, in the order of time.',
      },
    ),
  }),
  access: STAFF,
  errors: [],
})

export const listAlerts = operation({
  method: 'GET',
  path: '/v1/vat/alerts',
  tag: 'Alerts',
  summary: 'List alerts',
  description: 'Rules that fired, newest first. Each is also an event `alert.fired` and an entry of the log.',
  query: Closed(PageQuery),
  response: PageOf(
    Closed(
      {
        alert_id: Text('Alert ID. Starts with alt_.'),
        rule_id: RuleId,
        rule_name: Text('Name of the rule at that time.'),
        condition: StoredCondition,
        effect: RuleFields.effect,
        ...Firing,
        fired_at: described(Instant, 'When the alert was recorded.'),
        asks_until: Type.Optional(
          described(
            Instant,
            'Until when every action of the agent needs an approval, if that is the effect.',
          ),
        ),
        log_index: LogIndex,
      },
      { title: 'Alert', description: 'A rule that fired for an agent.' },
    ),
  ),
  access: STAFF,
  errors: [],
})
