import { Type } from 'typebox'
import { operation } from './operation.ts'
import { AgentId, Closed, Instant, ProvenanceRef, StoredAgentId } from './shapes.ts'

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
  errors: ['agent_unknown'],
})

const CountByName = Type.Record(Type.String(), Type.Integer())

export const WorkflowSummary = Closed({
  provenance_ref: ProvenanceRef,
  total_records: Count,
  unique_agents: Count,
  actions_by_type: CountByName,
  results_by_type: CountByName,
})

export const getProvenance = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}',
  tag: 'Provenance',
  summary: 'Summary of a workflow',
  description: 'Every action by every agent under one provenance_ref, in numbers.',
  params: Closed({ ref: ProvenanceRef }),
  response: WorkflowSummary,
  errors: ['workflow_unknown'],
})
