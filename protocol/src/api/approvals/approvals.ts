import { Type } from 'typebox'
import { about, DECIDERS, LISTERS, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import {
  Action,
  AgentId,
  ApprovalId,
  AssuranceLevel,
  Closed,
  Erased,
  HumanRef,
  Instant,
  ItemOf,
  Jti,
  OneOf,
  PageOf,
  PageQuery,
  ProvenanceRef,
  Resource,
  Sha256Digest,
  StoredAgentId,
  TimeRange,
} from '../shapes.ts'

export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const

export const Approval = Closed({
  approval_id: ApprovalId,
  state: OneOf(APPROVAL_STATES),
  vat_jti: Jti,
  provenance_ref: ProvenanceRef,
  agent_id: StoredAgentId,
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  action: Type.String(),
  resource: Type.String(),
  spend_usd: Type.Number(),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
  created_at: Instant,
  expires_at: Instant,
  decided_at: Type.Optional(Instant),
  decided_by: Type.Optional(
    Type.String({
      description:
        'The human_ref of the person who decided; `human` in open mode, where nobody says who they are; `habit`: approved by itself after enough approvals of the same.',
    }),
  ),
  note: Type.Optional(Type.String()),
  used_by: Type.Optional(Type.String({ description: 'The action record that used it up.' })),
  erased: Erased,
  log_index: Type.Integer(),
  decided_log_index: Type.Optional(Type.Integer()),
})

const Id = Closed({ id: ApprovalId })
const Decision = Closed({ note: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })) })

export const listApprovals = operation({
  method: 'GET',
  path: '/v1/vat/approvals',
  tag: 'Approvals',
  summary: 'Query approvals',
  description: 'What people were asked, newest first.',
  query: Closed({
    state: Type.Optional(OneOf(APPROVAL_STATES)),
    agent_id: Type.Optional(AgentId),
    assurance_level: Type.Optional(AssuranceLevel),
    human_ref: Type.Optional(Sha256Digest),
    provenance_ref: Type.Optional(ProvenanceRef),
    ...TimeRange,
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
  summary: 'Read an approval, or wait for its decision',
  params: Id,
  query: Closed({
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30,
        description: 'Seconds to wait while the approval is pending.',
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
  summary: 'Approve',
  description: 'Good for exactly what was asked, once. The agent asks again with `approval_id`.',
  params: Id,
  body: Decision,
  example: { note: 'Go ahead' },
  response: Approval,
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided'],
})

export const deny = operation({
  method: 'POST',
  path: '/v1/vat/approvals/{id}/deny',
  tag: 'Approvals',
  summary: 'Deny',
  params: Id,
  body: Decision,
  example: { note: 'Not this week' },
  response: Approval,
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided'],
})

export const decideApprovals = operation({
  method: 'POST',
  path: '/v1/vat/approvals/batch',
  tag: 'Approvals',
  summary: 'Decide many approvals',
  body: Closed({
    items: Type.Array(
      Closed({
        approval_id: ApprovalId,
        decision: OneOf(['approved', 'denied']),
        note: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
      }),
      { minItems: 1, maxItems: 1000 },
    ),
  }),
  example: { items: [{ approval_id: 'apr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r', decision: 'approved' }] },
  response: Closed({ items: Type.Array(ItemOf(Approval)) }),
  access: { ...about('approval', '/body/items/*/approval_id'), ...DECIDERS },
  errors: [],
})

const Habit = Closed({
  agent_id: StoredAgentId,
  human_ref: HumanRef,
  action: Type.String(),
  resource: Type.String(),
  approvals: Type.Integer({ description: 'Human approvals since the last denial.' }),
  auto_approvals: Type.Integer({ description: 'How often it stood in for the human.' }),
  last_human_at: Instant,
})

export const listHabits = operation({
  method: 'GET',
  path: '/v1/vat/approvals/habits',
  tag: 'Approvals',
  summary: 'What may be approved by habit',
  description: 'Counts that `auto_approve_after` looks at, most used first, at most 200.',
  query: Closed({ agent_id: Type.Optional(AgentId), human_ref: Type.Optional(Sha256Digest) }),
  response: Closed({ data: Type.Array(Habit) }),
  access: LISTERS,
  errors: [],
})

export const endHabit = operation({
  method: 'POST',
  path: '/v1/vat/approvals/habits/end',
  tag: 'Approvals',
  summary: 'End a habit',
  description: 'The next ask of this kind goes to the human again.',
  body: Closed({ agent_id: AgentId, human_ref: Sha256Digest, action: Action, resource: Resource }),
  example: {
    agent_id: 'calendar-bot',
    human_ref: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    action: 'write',
    resource: 'calendar:events',
  },
  response: Closed({ ended: Type.Boolean() }),
  access: { ...about('human', '/body/human_ref'), human: 'own', operator: 'tenant' },
  errors: [],
})
