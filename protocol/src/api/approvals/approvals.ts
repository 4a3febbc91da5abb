import { Type } from 'typebox'
import { about, DECIDERS, LISTERS, STAFF } from '../access.ts'
import { PersonFilters, RecordFilters } from '../actions/records.ts'
import { operation } from '../operation.ts'
import {
  AarId,
  Action,
  AgentRef,
  ApprovalId,
  AssuranceLevel,
  Closed,
  Count,
  described,
  Erased,
  Flag,
  HumanRef,
  Instant,
  ItemOf,
  Jti,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  PersonRef,
  ProvenanceRef,
  Resource,
  StoredAgentId,
  StoredMetadata,
  Text,
  TimeRangeQuery,
} from '../shapes.ts'

/** Stores hold the position of a state in this list: add new states at the end. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const
const ApprovalState = OneOf(APPROVAL_STATES, {
  title: 'ApprovalState',
  description: 'State of an approval. Only a pending approval can be decided.',
})

export const Approval = Closed(
  {
    approval_id: ApprovalId,
    state: ApprovalState,
    vat_jti: described(Jti, 'The token that the agent asked with.'),
    provenance_ref: ProvenanceRef,
    agent_id: described(StoredAgentId, 'The agent that asked, with the agent: prefix.'),
    human_ref: HumanRef,
    assurance_level: AssuranceLevel,
    action: Text('Action that the agent wants to take.', { examples: ['write'] }),
    resource: Text('Resource that the agent wants to act on.', { examples: ['calendar:events'] }),
    spend_usd: Type.Number({ description: 'Estimated cost in US dollars.' }),
    metadata: Type.Optional(StoredMetadata),
    created_at: described(Instant, 'When the agent asked.'),
    expires_at: described(Instant, 'When the approval expires if it is not decided.'),
    decided_at: Type.Optional(described(Instant, 'When the approval was decided.')),
    decided_by: Type.Optional(
      Text(
        'The `human_ref` of the person who decided; `human` in open mode; `habit` when the approval was given automatically under `auto_approve_after`.',
      ),
    ),
    note: Type.Optional(Text('The note that came with the decision.')),
    used_by: Type.Optional(described(AarId, 'The action record that used the approval.')),
    erased: Erased,
    log_index: described(LogIndex, 'Index of the log entry that created the approval.'),
    decided_log_index: Type.Optional(described(LogIndex, 'Index of the log entry that holds the decision.')),
  },
  { title: 'Approval', description: 'A request to a person to approve one action.' },
)

const ApprovalPath = Closed({ id: ApprovalId })
const DecisionNote = Type.Optional(
  Text('Why, in your own words. Stored encrypted and deleted when the person is erased.', {
    minLength: 1,
    maxLength: 2000,
  }),
)
const ApprovalDecision = Closed({ note: DecisionNote })

export const listApprovals = operation({
  method: 'GET',
  path: '/v1/vat/approvals',
  tag: 'Approvals',
  summary: 'List approvals',
  description: 'Newest first.',
  query: Closed({
    state: Type.Optional(described(ApprovalState, 'Only this state.')),
    agent_id: RecordFilters.agent_id,
    ...PersonFilters,
    ...TimeRangeQuery,
    ...PageQuery,
  }),
  response: PageOf(Approval),
  access: LISTERS,
  errors: [],
})

export const getApproval = operation({
  method: 'GET',
  path: '/v1/vat/approvals/{id}',
  tag: 'Approvals',
  summary: 'Get an approval, or wait for its decision',
  params: ApprovalPath,
  query: Closed({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        description: 'Seconds to wait for a decision while the approval is pending. 0 by default.',
      }),
    ),
  }),
  response: Approval,
  access: {
    ...about('approval', '/params/id'),
    ...STAFF,
    human: 'own',
    reviewers: true,
    agent: 'own',
    resource_server: 'audience',
  },
  errors: ['approval_unknown'],
})

export const approve = operation({
  method: 'POST',
  path: '/v1/vat/approvals/{id}/approve',
  tag: 'Approvals',
  summary: 'Approve an action',
  description:
    'Allows exactly what the agent asked for, once. The agent calls authorize again with `approval_id`.',
  params: ApprovalPath,
  body: ApprovalDecision,
  response: Approval,
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided'],
})

export const deny = operation({
  method: 'POST',
  path: '/v1/vat/approvals/{id}/deny',
  tag: 'Approvals',
  summary: 'Deny an action',
  params: ApprovalPath,
  body: ApprovalDecision,
  response: Approval,
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided'],
})

export const decideApprovals = operation({
  method: 'POST',
  path: '/v1/vat/approvals/batch',
  tag: 'Approvals',
  summary: 'Decide many approvals',
  description: 'Up to 1,000 decisions. Each item gets its own answer.',
  body: Closed({
    items: Type.Array(
      Closed({
        approval_id: ApprovalId,
        decision: OneOf(['approved', 'denied'], { description: 'The decision.' }),
        note: DecisionNote,
      }),
      { minItems: 1, maxItems: 1000, description: 'The decisions.' },
    ),
  }),
  response: Closed({
    items: Type.Array(ItemOf(Approval), { description: 'One answer per item, in the same order.' }),
  }),
  access: { ...about('approval', '/body/items/*/approval_id'), ...DECIDERS },
  errors: [],
})

const Habit = Closed(
  {
    agent_id: StoredAgentId,
    human_ref: HumanRef,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    approvals: Count('Approvals by a person since the last denial.'),
    auto_approvals: Count('Approvals that were given automatically.'),
    last_human_at: described(Instant, 'When a person last approved.'),
  },
  { title: 'Habit', description: 'A repeated approval that `auto_approve_after` can give automatically.' },
)

export const listHabits = operation({
  method: 'GET',
  path: '/v1/vat/approvals/habits',
  tag: 'Approvals',
  summary: 'List habits',
  description:
    'Repeated approvals of the same agent, action and resource that `auto_approve_after` can give automatically. Most used first, at most 200.',
  query: Closed({ agent_id: RecordFilters.agent_id, human_ref: PersonFilters.human_ref }),
  response: Closed({ data: Type.Array(Habit, { description: 'The habits, most used first.' }) }),
  access: LISTERS,
  errors: [],
})

export const endHabit = operation({
  method: 'POST',
  path: '/v1/vat/approvals/habits/end',
  tag: 'Approvals',
  summary: 'End a habit',
  description: 'The next request of this kind needs the approval of a person again.',
  body: Closed({ agent_id: AgentRef, human_ref: PersonRef, action: Action, resource: Resource }),
  response: Closed({ ended: Flag('False when there was no such habit.') }),
  access: { ...about('human', '/body/human_ref'), human: 'own', operator: 'tenant' },
  errors: [],
})
