import { type AnswerOf, AuthorityError, DEFAULT_PAGE, type OPERATIONS, shownAgent } from '@deputize/protocol'
import type { FreezeCommand } from '../clerk/command.ts'
import { scores } from '../domain/reputation.ts'
import { DAY_MS, isoInstant } from '../domain/time.ts'
import type { AgentFacts } from '../store/port.ts'
import { reputationView } from './get-reputation.ts'
import {
  type Call,
  type CallEnvelope,
  carryOut,
  type Handler,
  type OperationContext,
} from './operation-context.ts'
import { pageAnswer, pageRequest } from './pages.ts'
import { agentSeen, tenantSeen } from './sight.ts'

const MOST_RANKED = 10_000
const MOST_DAYS = 366

export const registerAgent: Handler<'registerAgent'> = async (call, context) => {
  const { agent_id, ...profile } = call.body
  return setProfile(agentSeen(call.caller, agent_id), profile, false, call, context)
}

export const updateAgent: Handler<'updateAgent'> = async (call, context) =>
  setProfile(agentSeen(call.caller, call.params.agent_id), call.body, true, call, context)

export const listAgents: Handler<'listAgents'> = async ({ caller, query }, { reader }) =>
  pageAnswer(await reader.agents(tenantSeen(caller), pageRequest(query)), agentView)

export const getAgent: Handler<'getAgent'> = async ({ caller, params }, context) =>
  agentView(await factsOf(agentSeen(caller, params.agent_id), context))

export const suspendAgent: Handler<'suspendAgent'> = (call, context) => freeze('suspend', call, context)

export const resumeAgent: Handler<'resumeAgent'> = (call, context) => freeze('resume', call, context)

export const getReputationHistory: Handler<'getReputationHistory'> = async ({ caller, params }, context) => {
  const { agent_id } = await factsOf(agentSeen(caller, params.agent_id), context)
  const days = await context.reader.agentDays(agent_id, MOST_DAYS)
  return {
    agent_id: shownAgent(agent_id),
    data: days.map(({ day, tally }) => {
      const { execution_score, feedback_score } = scores(tally)
      const { total_actions, completed_actions, approved, flagged, rejected } = tally
      return {
        day: isoInstant(day * DAY_MS).slice(0, 10),
        total_actions,
        completed_actions,
        execution_score,
        feedback_score,
        ratings: { approved, flagged, rejected },
      }
    }),
  }
}

export const rankAgents: Handler<'rankAgents'> = async ({ caller, query }, { reader }) => {
  const views = (await reader.activeAgents(tenantSeen(caller), MOST_RANKED)).map(reputationView)
  const worth = query.sort === 'lower_bound' ? lowerBound : (one: Reputation) => one.combined_reputation
  return { data: views.sort((a, b) => worth(b) - worth(a)).slice(0, query.limit ?? DEFAULT_PAGE) }
}

type Reputation = AnswerOf<typeof OPERATIONS.getReputation>

/** What the evidence supports: few good actions count for less than many. */
function lowerBound({ execution_interval, feedback_interval }: Reputation): number {
  return 0.6 * execution_interval.low + 0.4 * feedback_interval.low
}

async function setProfile(
  agent_id: string,
  profile: Readonly<Record<string, unknown>>,
  must_exist: boolean,
  call: CallEnvelope & { params: unknown; body: unknown },
  context: OperationContext,
) {
  await carryOut({ kind: 'register_agent', agent_id, profile, must_exist }, call, context)
  return agentView(await factsOf(agent_id, context))
}

async function freeze(
  kind: FreezeCommand['kind'],
  call: Call<'suspendAgent'> | Call<'resumeAgent'>,
  context: OperationContext,
) {
  const agent_id = agentSeen(call.caller, call.params.agent_id)
  await carryOut({ kind, target: { agent_id } }, call, context)
  return agentView(await factsOf(agent_id, context))
}

async function factsOf(agent_id: string, { reader }: OperationContext): Promise<AgentFacts> {
  const facts = await reader.agent(agent_id)
  if (facts === undefined) throw new AuthorityError('agent_unknown')
  return facts
}

function agentView({ agent_id, profile, suspended_at_ms, tally, first_seen_ms, last_action_ms }: AgentFacts) {
  const { combined_reputation, has_human_feedback } = scores(tally)
  return {
    ...(profile === undefined ? {} : JSON.parse(profile)),
    agent_id: shownAgent(agent_id),
    suspended: suspended_at_ms !== undefined,
    total_actions: tally.total_actions,
    combined_reputation,
    has_human_feedback,
    first_seen_at: isoInstant(first_seen_ms),
    ...(suspended_at_ms !== undefined && { suspended_at: isoInstant(suspended_at_ms) }),
    ...(last_action_ms !== undefined && { last_action_at: isoInstant(last_action_ms) }),
  }
}
