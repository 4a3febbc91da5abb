import { type Static, Type } from 'typebox'
import { ACTORS, about, LISTERS, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import {
  AarId,
  Action,
  AgentId,
  ApprovalId,
  AssuranceLevel,
  Closed,
  DenialId,
  Depth,
  Erased,
  EvidenceWord,
  EXAMPLE_JTI,
  HumanRef,
  Instant,
  ItemOf,
  Jti,
  Metadata,
  OneOf,
  PageOf,
  PageQuery,
  ProvenanceRef,
  RatingWord,
  ReasonWord,
  Resource,
  Result,
  Sha256Digest,
  STATES,
  StoredAgentId,
  TimeRange,
  TrustScore,
  Usd,
} from '../shapes.ts'

const MAX_BATCH = 1000

const ApprovalIdField = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'A human approval of exactly this; it is used up by it.',
  }),
)
const ParentAarId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'The action of the same workflow that caused this one.',
  }),
)

export const ActionRecord = Closed({
  aar_id: AarId,
  provenance_ref: ProvenanceRef,
  vat_jti: Jti,
  root_jti: Jti,
  agent_id: StoredAgentId,
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  trust_score: TrustScore,
  delegation_depth: Depth,
  action: Type.String(),
  resource: Type.String(),
  state: OneOf(STATES),
  result: Type.Optional(Type.String()),
  result_hash: Type.Optional(Type.String()),
  spend_usd: Type.Number({ description: 'Reserved while pending, spent when completed.' }),
  parent_aar_id: Type.Optional(AarId),
  evidence: EvidenceWord,
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
  trace_id: Type.Optional(Type.String()),
  created_at: Instant,
  expires_at: Type.Optional(Instant),
  completed_at: Type.Optional(Instant),
  completed_after_revocation: Type.Optional(Type.Boolean()),
  over_budget: Type.Optional(Type.Boolean()),
  rating: Type.Optional(RatingWord),
  feedback_at: Type.Optional(Instant),
  note: Type.Optional(Type.String()),
  rater_assurance: Type.Optional(
    Type.String({
      description:
        'How the rater was verified: an assurance level, with +passkey when they confirmed the rating with a fresh one; none in open mode.',
    }),
  ),
  erased: Erased,
  log_index: Type.Integer({ description: 'Position of the leaf that created the record.' }),
  leaf_hash: Type.String({ description: 'RFC 6962 hash of that leaf.' }),
  completed_log_index: Type.Optional(Type.Integer()),
  rated_log_index: Type.Optional(Type.Integer()),
})
export type ActionRecord = Static<typeof ActionRecord>

export const AuthorizeRequest = Closed({
  vat_jti: Jti,
  action: Action,
  resource: Resource,
  spend_usd: Type.Optional(Usd),
  parent_aar_id: ParentAarId,
  approval_id: ApprovalIdField,
  metadata: Type.Optional(Metadata),
  dry_run: Type.Optional(Type.Boolean({ description: 'Answer what would happen; keep nothing.' })),
})

export const AuthorizeResponse = Closed({
  authorized: Type.Boolean(),
  aar_id: Type.Optional(AarId),
  reason: Type.Optional(ReasonWord),
  reasons: Type.Optional(Type.Array(ReasonWord)),
  denial_id: Type.Optional(DenialId),
  approval_id: Type.Optional(ApprovalId),
  dry_run: Type.Optional(Type.Boolean()),
  trust_score: TrustScore,
  delegation_depth: Depth,
  provenance_ref: ProvenanceRef,
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  expires_at: Type.Optional(
    Type.String({ description: 'When the pending record expires and releases what it reserved.' }),
  ),
})

export const authorize = operation({
  method: 'POST',
  path: '/v1/vat/authorize',
  tag: 'Actions',
  summary: 'Authorize an action',
  description:
    'Ask before acting: is this within the token? A yes opens a pending record. A no is an answer, not an error: HTTP 200 with authorized false, the reasons, and a denial kept as evidence.',
  body: AuthorizeRequest,
  example: {
    vat_jti: EXAMPLE_JTI,
    action: 'read',
    resource: 'calendar:events',
  },
  response: AuthorizeResponse,
  access: { ...about('token', '/body/vat_jti'), ...ACTORS },
  errors: ['token_unknown', 'parent_record_unknown'],
})

export const RecordActionRequest = Closed({
  vat_jti: Jti,
  action: Action,
  resource: Resource,
  result: Result,
  result_hash: Type.Optional(Sha256Digest),
  spend_usd: Type.Optional(Usd),
  parent_aar_id: ParentAarId,
  approval_id: ApprovalIdField,
  metadata: Type.Optional(Metadata),
})

export const RecordActionResponse = Closed({
  recorded: Type.Boolean(),
  aar_id: AarId,
  provenance_ref: ProvenanceRef,
  trust_score: TrustScore,
  delegation_depth: Depth,
})

export const recordAction = operation({
  method: 'POST',
  path: '/v1/vat/record/action',
  tag: 'Actions',
  summary: 'Record an action',
  description: 'Authorizes, records and completes one action in a single call.',
  body: RecordActionRequest,
  example: {
    vat_jti: EXAMPLE_JTI,
    action: 'read',
    resource: 'calendar:events',
    result: 'success',
  },
  response: RecordActionResponse,
  access: { ...about('token', '/body/vat_jti'), ...ACTORS },
  errors: ['token_unknown', 'parent_record_unknown', 'not_allowed'],
})

export const authorizeBatch = operation({
  method: 'POST',
  path: '/v1/vat/authorize/batch',
  tag: 'Actions',
  summary: 'Authorize many actions',
  description: 'Up to 1,000 at a time. Each item has its own answer; all become durable together.',
  body: Closed({ items: Type.Array(AuthorizeRequest, { minItems: 1, maxItems: MAX_BATCH }) }),
  example: {
    items: [
      {
        vat_jti: EXAMPLE_JTI,
        action: 'read',
        resource: 'calendar:events',
      },
    ],
  },
  response: Closed({ items: Type.Array(ItemOf(AuthorizeResponse)) }),
  access: { ...about('token', '/body/items/*/vat_jti'), ...ACTORS },
  errors: [],
})

export const recordBatch = operation({
  method: 'POST',
  path: '/v1/vat/record/batch',
  tag: 'Actions',
  summary: 'Record many actions',
  description: 'Up to 1,000 at a time. Each item has its own answer; all become durable together.',
  body: Closed({ items: Type.Array(RecordActionRequest, { minItems: 1, maxItems: MAX_BATCH }) }),
  example: {
    items: [
      {
        vat_jti: EXAMPLE_JTI,
        action: 'read',
        resource: 'calendar:events',
        result: 'success',
      },
    ],
  },
  response: Closed({ items: Type.Array(ItemOf(RecordActionResponse)) }),
  access: { ...about('token', '/body/items/*/vat_jti'), ...ACTORS },
  errors: [],
})

export const completeRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/complete',
  tag: 'Actions',
  summary: 'Complete a pending record',
  description:
    'Closes the record with its outcome and settles what was really spent (the estimate, when spend_usd is absent). The same completion again answers the stored record; a different one is refused. Allowed after revocation, and then marked.',
  params: Closed({ id: AarId }),
  body: Closed({
    result: Result,
    result_hash: Type.Optional(Sha256Digest),
    spend_usd: Type.Optional(Usd),
    metadata: Type.Optional(Metadata),
  }),
  example: {
    result: 'success',
    result_hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  response: ActionRecord,
  access: { ...about('record', '/params/id'), agent: 'opened', resource_server: 'audience' },
  errors: ['record_unknown', 'record_closed'],
})

export const cancelRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/cancel',
  tag: 'Actions',
  summary: 'Cancel a pending record',
  description: 'Gives the action up and releases what it reserved.',
  params: Closed({ id: AarId }),
  response: ActionRecord,
  access: { ...about('record', '/params/id'), agent: 'opened', resource_server: 'audience' },
  errors: ['record_unknown', 'record_closed'],
})

export const getRecord = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}',
  tag: 'Actions',
  summary: 'Read an action record',
  params: Closed({ id: AarId }),
  response: ActionRecord,
  access: { ...about('record', '/params/id'), ...READERS },
  errors: ['record_unknown'],
})

export const listRecords = operation({
  method: 'GET',
  path: '/v1/vat/aar',
  tag: 'Actions',
  summary: 'Query action records',
  description:
    'By agent, action, resource, outcome, rating, state, evidence, workflow, human and time; newest first. A page may hold fewer entries than asked for: go on while has_more is true.',
  query: Closed({
    agent_id: Type.Optional(AgentId),
    action: Type.Optional(Action),
    resource: Type.Optional(Resource),
    result: Type.Optional(Result),
    rating: Type.Optional(RatingWord),
    state: Type.Optional(OneOf(STATES)),
    evidence: Type.Optional(EvidenceWord),
    assurance_level: Type.Optional(AssuranceLevel),
    human_ref: Type.Optional(Sha256Digest),
    provenance_ref: Type.Optional(ProvenanceRef),
    ...TimeRange,
    ...PageQuery,
  }),
  response: PageOf(ActionRecord),
  access: LISTERS,
  errors: [],
})

export const Denial = Closed({
  denial_id: DenialId,
  provenance_ref: ProvenanceRef,
  vat_jti: Jti,
  agent_id: StoredAgentId,
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
  trust_score: TrustScore,
  delegation_depth: Depth,
  action: Type.String(),
  resource: Type.String(),
  spend_usd: Type.Number(),
  reason: ReasonWord,
  reasons: Type.Array(ReasonWord),
  trace_id: Type.Optional(Type.String()),
  created_at: Instant,
  log_index: Type.Integer(),
  leaf_hash: Type.String(),
})
export type Denial = Static<typeof Denial>

export const getDenial = operation({
  method: 'GET',
  path: '/v1/vat/denials/{id}',
  tag: 'Actions',
  summary: 'Read a denial',
  params: Closed({ id: DenialId }),
  response: Denial,
  access: { ...about('denial', '/params/id'), ...READERS },
  errors: ['denial_unknown'],
})

export const listDenials = operation({
  method: 'GET',
  path: '/v1/vat/denials',
  tag: 'Actions',
  summary: 'Query denials',
  description: 'What the rules refused, newest first.',
  query: Closed({
    agent_id: Type.Optional(AgentId),
    assurance_level: Type.Optional(AssuranceLevel),
    human_ref: Type.Optional(Sha256Digest),
    provenance_ref: Type.Optional(ProvenanceRef),
    ...TimeRange,
    ...PageQuery,
  }),
  response: PageOf(Denial),
  access: LISTERS,
  errors: [],
})
