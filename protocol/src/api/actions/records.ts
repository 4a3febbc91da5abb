import type { Static } from 'typebox'
import { ACTORS, about, LISTERS, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AarId,
  Action,
  AgentRef,
  ApprovalId,
  AssuranceLevel,
  Closed,
  CountedPageOf,
  DenialDetails,
  DenialId,
  Depth,
  described,
  Erased,
  EvidenceWord,
  Flag,
  HumanRef,
  Instant,
  ItemOf,
  Jti,
  LogIndex,
  Metadata,
  PageOf,
  PageQuery,
  PersonRef,
  ProvenanceRef,
  RatingWord,
  Reasons,
  ReasonWord,
  RecordStateWord,
  Resource,
  Result,
  ResultHash,
  StoredAgentId,
  StoredMetadata,
  Text,
  TimeRangeQuery,
  TotalQuery,
  TrustScore,
  Usd,
} from '../shapes.ts'

const MAX_BATCH = 1000

/** Members that a request for an action can carry. */
const OptionalParts = {
  spend_usd: Type.Optional(Usd),
  parent_aar_id: Type.Optional(
    described(AarId, 'The action record in the same workflow that caused this action.'),
  ),
  approval_id: Type.Optional(
    described(
      ApprovalId,
      'The approval for this action. It must match the token, action, resource, spend and metadata, and it can be used once.',
    ),
  ),
  metadata: Type.Optional(Metadata),
}

/** The token of an action, and its workflow. */
const UsedToken = { provenance_ref: ProvenanceRef, vat_jti: described(Jti, 'The token that was used.') }

/** What was done or attempted, with whose authority. */
const Attempt = {
  agent_id: described(StoredAgentId, 'The agent that acted, with the agent: prefix.'),
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  trust_score: TrustScore,
  delegation_depth: Depth,
  action: Text('Action verb.', { examples: ['read'] }),
  resource: Text('Resource, as `<namespace>:<name>`.', { examples: ['calendar:events'] }),
}

const TraceId = Type.Optional(Text('Trace ID of the `traceparent` header of the request.'))
const LeafHash = Text('RFC 6962 hash of that log entry, in base64.')

export const ActionRecord = Closed(
  {
    aar_id: AarId,
    ...UsedToken,
    root_jti: described(Jti, 'The root token of the workflow.'),
    ...Attempt,
    state: RecordStateWord,
    result: Type.Optional(Text('Outcome of the action. Absent while the record is pending.')),
    result_hash: Type.Optional(Text('SHA-256 digest of the result, if one was sent.')),
    spend_usd: Type.Number({
      description: 'US dollars: reserved while the record is pending, spent once it is completed.',
    }),
    parent_aar_id: Type.Optional(described(AarId, 'The action record that caused this action.')),
    evidence: EvidenceWord,
    metadata: Type.Optional(StoredMetadata),
    trace_id: TraceId,
    created_at: described(Instant, 'When the record was created.'),
    expires_at: Type.Optional(
      described(Instant, 'When the pending record expires and releases its reservation.'),
    ),
    completed_at: Type.Optional(described(Instant, 'When the record was closed.')),
    completed_after_revocation: Type.Optional(
      Flag('True when the record was completed after its token was revoked.'),
    ),
    over_budget: Type.Optional(Flag('True when the action spent more than the budget allowed.')),
    exceeded: Type.Optional(
      Flag(
        'True when the action cost more than it was authorized for, beyond `max_overrun_pct`. It counts as failed, and its token was suspended.',
      ),
    ),
    rating: Type.Optional(RatingWord),
    feedback_at: Type.Optional(described(Instant, 'When the action was rated.')),
    note: Type.Optional(Text('The note that came with the rating.')),
    rater_assurance: Type.Optional(
      Text(
        'How the person who rated was verified: an assurance level, followed by +passkey when they confirmed the rating with a fresh passkey. `none` in open mode.',
      ),
    ),
    erased: Erased,
    log_index: described(LogIndex, 'Index of the log entry that created the record.'),
    leaf_hash: LeafHash,
    completed_log_index: Type.Optional(
      described(LogIndex, 'Index of the log entry that completed the record.'),
    ),
    rated_log_index: Type.Optional(described(LogIndex, 'Index of the log entry that holds the rating.')),
  },
  { title: 'ActionRecord', description: 'One action of an agent, with its outcome and rating.' },
)
export type ActionRecord = Static<typeof ActionRecord>

export const AuthorizeRequest = Closed(
  {
    vat_jti: described(Jti, 'The token that allows the action.'),
    action: Action,
    resource: Resource,
    ...OptionalParts,
    spend_usd: Type.Optional(
      described(Usd, 'Estimated cost in US dollars. It is reserved from every budget.'),
    ),
    dry_run: Type.Optional(Flag('Return the decision without storing anything.')),
  },
  { title: 'AuthorizeRequest' },
)

export const AuthorizeResponse = Closed(
  {
    authorized: Flag('Whether the action is allowed.'),
    aar_id: Type.Optional(
      described(
        AarId,
        'The pending action record. Present when the action is allowed. Also present when a repeated request (Idempotency-Key) was first allowed and its token is no longer in force: do not act. Cancel the record, or complete it if you have already acted. With the reason record_closed, the record was cancelled or has expired.',
      ),
    ),
    reason: Type.Optional(described(ReasonWord, 'The most important reason for the denial.')),
    reasons: Type.Optional(Reasons),
    details: DenialDetails,
    denial_id: Type.Optional(described(DenialId, 'The stored denial. Present when the action is denied.')),
    approval_id: Type.Optional(
      described(ApprovalId, 'The approval to wait for. Present when the reason is `approval_required`.'),
    ),
    dry_run: Type.Optional(Flag('True when nothing was stored.')),
    trust_score: TrustScore,
    delegation_depth: Depth,
    provenance_ref: ProvenanceRef,
    human_ref: HumanRef,
    assurance_level: AssuranceLevel,
    expires_at: Type.Optional(Text('When the pending record expires and releases its reservation.')),
  },
  { title: 'AuthorizeResponse' },
)

export const authorize = operation({
  method: 'POST',
  path: '/v1/vat/authorize',
  tag: 'Actions',
  summary: 'Authorize an action',
  description:
    'Checks an action before the agent takes it. If it is allowed, the service opens a pending record. If it is denied, the response is still HTTP 200, with `authorized: false`, the reasons and the ID of the stored denial.',
  body: AuthorizeRequest,
  response: AuthorizeResponse,
  access: { ...about('token', '/body/vat_jti'), ...ACTORS },
  errors: ['token_unknown', 'parent_record_unknown', 'spend_out_of_range'],
})

export const RecordActionRequest = Closed(
  {
    vat_jti: described(Jti, 'The token that allows the action.'),
    action: Action,
    resource: Resource,
    result: Result,
    result_hash: Type.Optional(ResultHash),
    ...OptionalParts,
    spend_usd: Type.Optional(described(Usd, 'Cost in US dollars. It is charged to every budget.')),
  },
  { title: 'RecordActionRequest' },
)

export const RecordActionResponse = Closed(
  {
    recorded: Flag('Always true. A denied action is refused with `not_allowed`.'),
    aar_id: AarId,
    provenance_ref: ProvenanceRef,
    trust_score: TrustScore,
    delegation_depth: Depth,
  },
  { title: 'RecordActionResponse' },
)

export const recordAction = operation({
  method: 'POST',
  path: '/v1/vat/record/action',
  tag: 'Actions',
  summary: 'Record an action',
  description: 'Authorizes, records and completes one action in a single call.',
  body: RecordActionRequest,
  response: RecordActionResponse,
  access: { ...about('token', '/body/vat_jti'), ...ACTORS },
  errors: ['token_unknown', 'parent_record_unknown', 'not_allowed', 'spend_out_of_range'],
})

export const authorizeBatch = operation({
  method: 'POST',
  path: '/v1/vat/authorize/batch',
  tag: 'Actions',
  summary: 'Authorize many actions',
  description: 'Up to 1,000 actions. Each item gets its own result, and all of them are committed together.',
  body: Closed({
    items: Type.Array(AuthorizeRequest, {
      minItems: 1,
      maxItems: MAX_BATCH,
      description: 'The actions to authorize.',
    }),
  }),
  response: Closed({
    items: Type.Array(ItemOf(AuthorizeResponse), { description: 'One result per item, in the same order.' }),
  }),
  access: { ...about('token', '/body/items/*/vat_jti'), ...ACTORS },
  errors: [],
})

export const recordBatch = operation({
  method: 'POST',
  path: '/v1/vat/record/batch',
  tag: 'Actions',
  summary: 'Record many actions',
  description: 'Up to 1,000 actions. Each item gets its own result, and all of them are committed together.',
  body: Closed({
    items: Type.Array(RecordActionRequest, {
      minItems: 1,
      maxItems: MAX_BATCH,
      description: 'The actions to record.',
    }),
  }),
  response: Closed({
    items: Type.Array(ItemOf(RecordActionResponse), {
      description: 'One result per item, in the same order.',
    }),
  }),
  access: { ...about('token', '/body/items/*/vat_jti'), ...ACTORS },
  errors: [],
})

const RecordPath = Closed({ id: AarId })

export const completeRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/complete',
  tag: 'Actions',
  summary: 'Complete a pending record',
  description:
    'Closes the record with its outcome and charges the actual spend, or the estimate if you leave out `spend_usd`. Repeating the same completion returns the stored record; a different one is refused. You can complete a record after its token was revoked; the record is then marked.',
  params: RecordPath,
  body: Closed({
    result: Result,
    result_hash: Type.Optional(ResultHash),
    spend_usd: Type.Optional(described(Usd, 'Actual cost in US dollars. The estimate by default.')),
    metadata: Type.Optional(described(Metadata, 'Replaces the metadata of the record.')),
  }),
  response: ActionRecord,
  access: { ...about('record', '/params/id'), agent: 'opened', resource_server: 'audience' },
  errors: ['record_unknown', 'record_closed', 'spend_out_of_range'],
})

export const cancelRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/cancel',
  tag: 'Actions',
  summary: 'Cancel a pending record',
  description: 'Abandons the action and releases its reservation.',
  params: RecordPath,
  response: ActionRecord,
  lane: 'stop',
  access: { ...about('record', '/params/id'), agent: 'opened', resource_server: 'audience' },
  errors: ['record_unknown', 'record_closed'],
})

export const getRecord = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}',
  tag: 'Actions',
  summary: 'Get an action record',
  params: RecordPath,
  response: ActionRecord,
  access: { ...about('record', '/params/id'), ...READERS },
  errors: ['record_unknown'],
})

/** Filters that every list of action records takes. */
export const RecordFilters = {
  agent_id: Type.Optional(described(AgentRef, 'Only this agent.')),
  action: Type.Optional(described(Action, 'Only this action.')),
  resource: Type.Optional(described(Resource, 'Only this resource.')),
  result: Type.Optional(described(Result, 'Only this outcome.')),
  rating: Type.Optional(described(RatingWord, 'Only this rating.')),
  state: Type.Optional(described(RecordStateWord, 'Only this state.')),
  evidence: Type.Optional(described(EvidenceWord, 'Only this kind of evidence.')),
}

/** Filters for people and their workflows. */
export const PersonFilters = {
  assurance_level: Type.Optional(described(AssuranceLevel, 'Only this assurance level.')),
  human_ref: Type.Optional(described(PersonRef, 'Only this person, by their `human_ref`.')),
  provenance_ref: Type.Optional(described(ProvenanceRef, 'Only this workflow.')),
}

export const listRecords = operation({
  method: 'GET',
  path: '/v1/vat/aar',
  tag: 'Actions',
  summary: 'List action records',
  description: 'Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  query: Closed({ ...RecordFilters, ...PersonFilters, ...TimeRangeQuery, ...PageQuery }),
  response: PageOf(ActionRecord),
  access: LISTERS,
  errors: [],
})

export const Denial = Closed(
  {
    denial_id: DenialId,
    ...UsedToken,
    ...Attempt,
    spend_usd: Type.Number({ description: 'US dollars that the request named.' }),
    reason: described(ReasonWord, 'The most important reason for the denial.'),
    reasons: Reasons,
    trace_id: TraceId,
    created_at: described(Instant, 'When the action was denied.'),
    log_index: LogIndex,
    leaf_hash: LeafHash,
  },
  { title: 'Denial', description: 'An action that the rules denied.' },
)
export type Denial = Static<typeof Denial>

export const getDenial = operation({
  method: 'GET',
  path: '/v1/vat/denials/{id}',
  tag: 'Actions',
  summary: 'Get a denial',
  params: Closed({ id: DenialId }),
  response: Denial,
  access: { ...about('denial', '/params/id'), ...READERS },
  errors: ['denial_unknown'],
})

export const listDenials = operation({
  method: 'GET',
  path: '/v1/vat/denials',
  tag: 'Actions',
  summary: 'List denials',
  description:
    'Actions that the rules denied, newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  query: Closed({
    agent_id: RecordFilters.agent_id,
    action: RecordFilters.action,
    resource: RecordFilters.resource,
    reason: Type.Optional(described(ReasonWord, 'Only denials with this reason among theirs.')),
    ...PersonFilters,
    ...TotalQuery,
    ...TimeRangeQuery,
    ...PageQuery,
  }),
  response: CountedPageOf(Denial),
  access: LISTERS,
  errors: [],
})
