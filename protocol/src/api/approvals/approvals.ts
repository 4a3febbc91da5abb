import { about, DECIDERS, LISTERS, STAFF } from '../access.ts'
import { PersonFilters, RecordFilters } from '../actions/records.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AarId,
  Action,
  AgentRef,
  ApprovalId,
  AssuranceLevel,
  Closed,
  Count,
  CountedPageOf,
  Depth,
  described,
  Erased,
  Flag,
  HumanRef,
  Instant,
  ItemOf,
  Jti,
  LogIndex,
  OneOf,
  PageQuery,
  PersonNote,
  PersonRef,
  ProvenanceRef,
  Resource,
  SearchText,
  SignedUsd,
  StoredAgentId,
  StoredMetadata,
  Text,
  TimeRangeQuery,
  TotalQuery,
  Usd,
} from '../shapes.ts'
import { TightestBudget, TokenStatusWord } from '../tokens/tokens.ts'

/** Stores hold the position of a state in this list: add new states at the end. */
export const APPROVAL_STATES = ['pending', 'approved', 'denied', 'expired'] as const
export const ApprovalStateWord = OneOf(APPROVAL_STATES, {
  title: 'ApprovalState',
  description:
    'State of an approval. pending: waiting for a decision. expired: it was not decided or used in time, or its token or one above it was revoked. Approvals of suspended tokens stay as they are.',
})

const ApproverDecision = Closed(
  {
    by: Text(
      'The `human_ref` of the person; `human` in open mode; `review_desk`; `habit` or `grant` if it was approved automatically.',
    ),
    decision: OneOf(['approved', 'denied'], { description: 'The decision.' }),
    at: described(Instant, 'When.'),
  },
  { title: 'ApproverDecision', description: 'A decision about an approval.' },
)

const RequiredApprovers = Closed(
  {
    count: Count('How many of them must approve.'),
    people: Type.Optional(
      Type.Array(HumanRef, { description: 'The people who can approve, by `human_ref`.' }),
    ),
    role: Type.Optional(
      Text(
        'The role that can approve: `reviewer`, `person` for the person that the agent acts for, whom another token of the chain or an alert asks, or `review_desk` for an action that is held for review.',
        { examples: ['reviewer'] },
      ),
    ),
  },
  {
    title: 'RequiredApprovers',
    description: 'Who must approve, as a token of the chain or the review of the organization says.',
  },
)

const GivenGrant = Closed(
  {
    expires_at: described(Instant, 'When the grant ends.'),
    max_spend_usd: Type.Number({
      description: 'Most that may be asked for under the grant, the approved action included, in US dollars.',
    }),
  },
  { title: 'GivenGrant', description: 'What the person allowed in advance with this approval.' },
)

export const Approval = Closed(
  {
    approval_id: ApprovalId,
    state: ApprovalStateWord,
    vat_jti: described(Jti, 'The token that the agent asked with.'),
    provenance_ref: ProvenanceRef,
    agent_id: described(StoredAgentId, 'The agent that asked, with the agent: prefix.'),
    human_ref: HumanRef,
    assurance_level: AssuranceLevel,
    action: Text('Action that the agent wants to take.', { examples: ['write'] }),
    resource: Text('Resource that the agent wants to act on.', { examples: ['calendar:events'] }),
    spend_usd: Type.Number({ description: 'Estimated cost in US dollars.' }),
    metadata: Type.Optional(StoredMetadata),
    summary: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The metadata as lines to show to a person, starting with the call that a guard describes in `metadata.request`. Hidden and misleading characters are replaced by their code points.',
      }),
    ),
    required: Count('How many people must approve.'),
    approvers: Type.Optional(
      Type.Array(RequiredApprovers, {
        description: 'Who must approve. Absent when the person that the agent acts for decides alone.',
      }),
    ),
    decisions: Type.Array(ApproverDecision, { description: 'The decisions so far, oldest first.' }),
    created_at: described(Instant, 'When the agent asked.'),
    expires_at: described(
      Instant,
      'When the approval expires if it is not decided. It expires earlier if its token is revoked.',
    ),
    decided_at: Type.Optional(described(Instant, 'When the approval was decided.')),
    decided_by: Type.Optional(
      Text(
        'The `human_ref` of the person who decided; `human` in open mode; `review_desk` for an action that was held for review; `habit` when the approval was given automatically under `auto_approve_after`; `grant` when a person had allowed it in advance.',
      ),
    ),
    note: Type.Optional(Text('The note that came with the decision.')),
    grant: Type.Optional(GivenGrant),
    grant_id: Type.Optional(
      described(
        ApprovalId,
        'The approval whose grant approved this one. Present when `decided_by` is `grant`.',
      ),
    ),
    used_by: Type.Optional(described(AarId, 'The action record that used the approval.')),
    erased: Erased,
    log_index: described(LogIndex, 'Index of the log entry that created the approval.'),
    decided_log_index: Type.Optional(described(LogIndex, 'Index of the log entry that holds the decision.')),
  },
  { title: 'Approval', description: 'A request to a person to approve one action.' },
)

/** Why a person is asked. */
export const ASKED_BECAUSE = ['always', 'action', 'resource', 'amount', 'review'] as const
export type AskedBecause = (typeof ASKED_BECAUSE)[number]
const AskedBecauseWord = OneOf(ASKED_BECAUSE, {
  title: 'AskedBecause',
  description:
    'Why a person must approve. always: the token requires it for everything. action, resource: for this action or resource. amount: above this amount. review: the organization reviews it.',
})

const ExpandedToken = Closed(
  {
    purpose: Type.Optional(Text('What the token is for.')),
    status: TokenStatusWord,
    expires_at: described(Instant, 'When the token expires.'),
    delegation_depth: Depth,
    asked_because: Type.Array(AskedBecauseWord, { description: 'Why a person is asked.' }),
    tightest: Type.Optional(TightestBudget),
    remaining_after_usd: Type.Optional(
      described(
        SignedUsd,
        'What would be left of the tightest budget after this action. Present while the approval is pending.',
      ),
    ),
  },
  { title: 'ApprovalToken', description: 'The token that the agent asked with. With `expand=token`.' },
)

const ExpandedAgent = Closed(
  {
    display_name: Type.Optional(Text('Name to show to people.')),
    combined_reputation: Type.Number({ description: '0.6 × execution_score + 0.4 × feedback_score.' }),
    has_human_feedback: Flag('Whether any action has been rated.'),
    total_actions: Count('All action records of the agent.'),
    suspended: Flag('Whether the agent is suspended.'),
  },
  { title: 'ApprovalAgent', description: 'The agent that asked. With `expand=agent`.' },
)

const ApprovalPath = Closed({ id: ApprovalId })
const ApprovalDecision = Closed({ note: Type.Optional(PersonNote) })
const GrantRequest = Closed(
  {
    minutes: Type.Integer({ minimum: 1, maximum: 1440, description: 'How long it lasts, in minutes.' }),
    max_spend_usd: Type.Optional(
      described(
        Usd,
        'Maximum total that can be requested, including the approved action, in US dollars. By default the spend of the approved action, so that further actions must be free.',
      ),
    ),
  },
  {
    title: 'GrantRequest',
    description:
      'Allows requests of the same root token, agent, action, resource and metadata fields in advance, until it ends or the total is used up.',
  },
)

const ListedApproval = Closed(
  {
    ...Approval.properties,
    token: Type.Optional(ExpandedToken),
    agent: Type.Optional(ExpandedAgent),
  },
  { title: 'ListedApproval', description: 'An approval in a list.' },
)

export const listApprovals = operation({
  method: 'GET',
  path: '/v1/vat/approvals',
  tag: 'Approvals',
  summary: 'List approvals',
  description:
    'Newest first. People see the requests of their agents and those that they are an approver of. A page can hold fewer entries than `limit`: continue while `has_more` is true. With `sort=expires_first` the response is one page of the newest 1,000 that match.',
  query: Closed({
    state: Type.Optional(described(ApprovalStateWord, 'Only this state.')),
    agent_id: RecordFilters.agent_id,
    reason: Type.Optional(described(AskedBecauseWord, 'Only requests that need a person for this reason.')),
    q: SearchText('the agent, the action or the resource.'),
    expand: Type.Optional(
      Text('What to add: `token`, `agent` or both, separated by a comma.', {
        pattern: '^(token|agent)(,(token|agent))?$',
        examples: ['token,agent'],
      }),
    ),
    sort: Type.Optional(
      OneOf(['newest', 'expires_first'], {
        description: 'newest by default. expires_first: what must be decided next.',
      }),
    ),
    ...PersonFilters,
    ...TotalQuery,
    ...TimeRangeQuery,
    ...PageQuery,
  }),
  response: CountedPageOf(ListedApproval),
  access: { ...LISTERS, safety: 'tenant' },
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
    safety: 'tenant',
  },
  errors: ['approval_unknown'],
})

/** Why a face does not confirm an approval. */
export const FACE_REASONS = {
  no_verification: 'No biometric verification of yours was sent.',
  not_passed: 'The biometric verification did not pass.',
  other_approval: 'The biometric verification was made for something else, not for this approval.',
  too_old: 'The biometric verification is too old. Verify again.',
} as const satisfies Record<string, string>

export type FaceReason = keyof typeof FACE_REASONS

const FaceVerificationId = Text(
  'A biometric verification that you passed for this approval, where the tenant requires one. Starts with vrf_.',
  { minLength: 1, maxLength: 128 },
)

export const approve = operation({
  method: 'POST',
  path: '/v1/vat/approvals/{id}/approve',
  tag: 'Approvals',
  summary: 'Approve an action',
  description:
    'Allows exactly what the agent asked for, once. The agent calls authorize again with `approval_id`. With `grant`, further requests of the same kind are approved automatically for some time. If the token names approvers, the request is approved once enough of them have approved it. A request of a revoked token is refused with `token_not_live`.',
  params: ApprovalPath,
  body: Closed({
    note: Type.Optional(PersonNote),
    grant: Type.Optional(GrantRequest),
    verification_id: Type.Optional(FaceVerificationId),
  }),
  response: Approval,
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided', 'not_an_approver', 'token_not_live', 'face_required'],
})

export const deny = operation({
  method: 'POST',
  path: '/v1/vat/approvals/{id}/deny',
  tag: 'Approvals',
  summary: 'Deny an action',
  description:
    'A single denial is enough, even when several people must approve. You can still deny a request of a revoked token. For ten minutes the same request is denied without asking again; each further denial doubles that time, up to a day.',
  params: ApprovalPath,
  body: ApprovalDecision,
  response: Approval,
  lane: 'stop',
  access: { ...about('approval', '/params/id'), ...DECIDERS },
  errors: ['approval_unknown', 'approval_decided', 'not_an_approver'],
})

export const decideApprovals = operation({
  method: 'POST',
  path: '/v1/vat/approvals/batch',
  tag: 'Approvals',
  summary: 'Decide many approvals',
  description:
    'Up to 1,000 decisions. Each item gets its own result. An approval that needs a face verification can only be given alone, with POST /v1/vat/approvals/{id}/approve.',
  body: Closed({
    items: Type.Array(
      Closed({
        approval_id: ApprovalId,
        decision: OneOf(['approved', 'denied'], { description: 'The decision.' }),
        note: Type.Optional(PersonNote),
      }),
      { minItems: 1, maxItems: 1000, description: 'The decisions.' },
    ),
  }),
  response: Closed({
    items: Type.Array(ItemOf(Approval), { description: 'One result per item, in the same order.' }),
  }),
  access: { ...about('approval', '/body/items/*/approval_id'), ...DECIDERS },
  errors: ['face_required'],
})

const Habit = Closed(
  {
    agent_id: StoredAgentId,
    human_ref: HumanRef,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    root_jti: described(Jti, 'The root token. Tokens of other roots have habits of their own.'),
    covers_usd: Type.Number({
      description:
        'Largest amount that it covers, in US dollars: the largest one that a person approved, at most twice the median of those amounts.',
    }),
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
    'Repeated approvals of the same root token, agent, action, resource and metadata fields that `auto_approve_after` can give automatically. Most used first, at most 200.',
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
  description:
    'The next request of this agent, action and resource needs the approval of a person again, below every root token. Ends grants of this kind too.',
  body: Closed({ agent_id: AgentRef, human_ref: PersonRef, action: Action, resource: Resource }),
  response: Closed({ ended: Flag('False when there was no such habit.') }),
  lane: 'stop',
  access: { ...about('human', '/body/human_ref'), human: 'own', operator: 'tenant' },
  errors: [],
})

const Grant = Closed(
  {
    approval_id: described(
      ApprovalId,
      'The approval that the grant was given with. It identifies the grant.',
    ),
    agent_id: StoredAgentId,
    human_ref: HumanRef,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    root_jti: described(Jti, 'The root token. The grant covers no token of another root.'),
    expires_at: described(Instant, 'When the grant ends.'),
    max_spend_usd: Type.Number({ description: 'Most that may be asked for under the grant, in US dollars.' }),
    spent_usd: Type.Number({
      description: 'Total requested so far, including the approved action, in US dollars.',
    }),
    uses: Count('Requests that it approved.'),
  },
  { title: 'Grant', description: 'Requests that a person allowed beforehand for some time.' },
)

export const listGrants = operation({
  method: 'GET',
  path: '/v1/vat/approvals/grants',
  tag: 'Approvals',
  summary: 'List grants',
  description:
    'The grants that are in force, at most 200. A grant ends when the token that it was given to, or one above it, is revoked.',
  query: Closed({ agent_id: RecordFilters.agent_id, human_ref: PersonFilters.human_ref }),
  response: Closed({ data: Type.Array(Grant, { description: 'The grants.' }) }),
  access: LISTERS,
  errors: [],
})

export const endGrant = operation({
  method: 'POST',
  path: '/v1/vat/approvals/grants/end',
  tag: 'Approvals',
  summary: 'End a grant',
  description:
    'The next request needs the approval of a person again. Takes effect before the response is sent.',
  body: Closed({
    approval_id: described(ApprovalId, 'The approval that the grant was given with.'),
  }),
  response: Closed({ ended: Flag('False when the grant was not in force any more.') }),
  lane: 'stop',
  access: {
    ...about('approval', '/body/approval_id'),
    human: 'own',
    reviewers: true,
    operator: 'tenant',
    developer: 'tenant',
  },
  errors: ['approval_unknown'],
})
