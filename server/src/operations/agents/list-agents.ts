import { type CallOf, type OPERATIONS, shownAgent, tenantOf } from '@deputize/protocol'
import { scores } from '../../domain/reputation.ts'
import type { Page, PageRequest } from '../../store/port/pages.ts'
import type { AgentFacts } from '../../store/port.ts'
import { callersAgent, visibleTenant } from '../lists/list-visibility.ts'
import { countedAnswer, listedPage, matchesSearch } from '../lists/listed-page.ts'
import type { Handler } from '../operation-context.ts'
import { agentView } from '../views/agent-view.ts'
import { agentActivity } from './agent-activity.ts'

type Query = CallOf<typeof OPERATIONS.listAgents>['query']

/** All agents requested by name are returned, unless the caller sets a limit. */
const MOST_NAMED = 100

export const listAgents: Handler<'listAgents'> = async ({ caller, query }, { reader, clock }) => {
  const filter = visibleTenant(caller)
  const fits = ruleOf(query)
  const namedAgents = async (names: string, { limit }: PageRequest): Promise<Page<AgentFacts>> => {
    const all = names.split(',').map((name) => callersAgent(caller, name))
    // Text with a colon isn't a name, but in the default tenant it could be the scoped name of another tenant's agent.
    const wanted = new Set(all.filter((agent_id) => tenantOf(agent_id) === caller.tenant_id))
    const found = await Promise.all([...wanted].map((agent_id) => reader.agent(agent_id)))
    const entries = found.filter((agent) => agent !== undefined).filter(fits ?? (() => true))
    return { entries: entries.slice(0, limit), before: undefined }
  }
  const page = await listedPage(query.agent_ids === undefined ? query : { limit: MOST_NAMED, ...query }, {
    read: (request) =>
      query.agent_ids === undefined
        ? reader.agents({ ...filter, fits }, request)
        : namedAgents(query.agent_ids, request),
    count: fits === undefined && query.agent_ids === undefined ? () => reader.countAgents(filter) : undefined,
    order: ORDERS[query.sort ?? 'newest'],
  })
  const agent_ids = page.entries.map(({ agent_id }) => agent_id)
  const live = await reader.liveTokens(agent_ids, clock())
  const activities = query.expand === 'activity' ? await agentActivity(agent_ids, reader, clock()) : undefined
  return countedAnswer(page, (agent) => {
    const activity = activities?.get(agent.agent_id)
    return {
      ...agentView(agent),
      live_tokens: live.get(agent.agent_id) ?? 0,
      ...(activity !== undefined && { activity }),
    }
  })
}

type Order = (one: AgentFacts, other: AgentFacts) => number

const ORDERS: Readonly<Record<NonNullable<Query['sort']>, Order | undefined>> = {
  newest: undefined,
  name: (one, other) => nameOf(one).localeCompare(nameOf(other), 'en'),
  last_action: (one, other) => (other.last_action_ms ?? 0) - (one.last_action_ms ?? 0),
  actions: (one, other) => other.tally.total_actions - one.tally.total_actions,
  reputation: (one, other) => scores(other.tally).combined_reputation - scores(one.tally).combined_reputation,
}

/** Combines the filters that no index serves into one rule. Undefined if none was given. */
function ruleOf({ status, q }: Query): ((agent: AgentFacts) => boolean) | undefined {
  if (status === undefined && q === undefined) return undefined
  return (agent) =>
    (status === undefined || (agent.suspended_at_ms !== undefined) === (status === 'suspended')) &&
    (q === undefined || isFound(agent, q))
}

function isFound({ agent_id, profile }: AgentFacts, q: string): boolean {
  const { display_name, owner, model } = profileOf(profile)
  return matchesSearch(q, { texts: [shownAgent(agent_id), display_name, owner, model] })
}

function nameOf({ agent_id, profile }: AgentFacts): string {
  return profileOf(profile).display_name ?? shownAgent(agent_id)
}

/** Parses a profile, which is stored as JSON text. All its members are strings. */
function profileOf(profile: string | undefined): Readonly<Record<string, string | undefined>> {
  return profile === undefined ? {} : JSON.parse(profile)
}
