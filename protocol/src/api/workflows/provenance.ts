import { type Static, Type } from 'typebox'
import { about, LISTERS, STAFF } from '../access.ts'
import { ActionRecord } from '../actions/records.ts'
import { operation } from '../operation.ts'
import {
  AarId,
  Action,
  AgentId,
  AssuranceLevel,
  Closed,
  Depth,
  EvidenceWord,
  HumanRef,
  Instant,
  Jti,
  OneOf,
  PageOf,
  PageQuery,
  ProvenanceRef,
  RatingWord,
  Resource,
  Result,
  Sha256Digest,
  STATES,
  StoredAgentId,
  TimeRange,
  TrustScore,
} from '../shapes.ts'
import { TOKEN_STATUSES, TokenView } from '../tokens/tokens.ts'

const Count = Type.Integer({ minimum: 0 })
const CountByName = Type.Record(Type.String(), Type.Integer())
const WorkflowPath = Closed({ ref: ProvenanceRef })

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
  params: WorkflowPath,
  response: WorkflowSummary,
  access: { ...about('workflow', '/params/ref'), ...STAFF, human: 'own', agent: 'workflow' },
  errors: ['workflow_unknown'],
})

export const WorkflowView = Closed({
  provenance_ref: ProvenanceRef,
  human_ref: HumanRef,
  agent_id: Type.String({ description: 'Agent of the root token, with the agent: prefix.' }),
  assurance_level: AssuranceLevel,
  created_at: Instant,
  total_records: Count,
  unique_agents: Type.Integer({ minimum: 0, description: 'Agents that acted.' }),
  last_action_at: Type.Optional(Instant),
})

export const listWorkflows = operation({
  method: 'GET',
  path: '/v1/vat/workflows',
  tag: 'Provenance',
  summary: 'Query workflows',
  description:
    'Newest first, by human, by any agent that holds a token, and by the time of the root token. A page may hold fewer entries than asked for: go on while has_more is true.',
  query: Closed({
    human_ref: Type.Optional(Sha256Digest),
    agent_id: Type.Optional(AgentId),
    ...TimeRange,
    ...PageQuery,
  }),
  response: PageOf(WorkflowView),
  access: LISTERS,
  errors: [],
})

export const listWorkflowRecords = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/records',
  tag: 'Provenance',
  summary: 'The actions of a workflow',
  description:
    'Newest or oldest first. A page may hold fewer entries than asked for: go on while has_more is true.',
  params: WorkflowPath,
  query: Closed({
    order: Type.Optional(
      OneOf(['newest', 'oldest'], { description: 'Which come first; newest when absent.' }),
    ),
    agent_id: Type.Optional(AgentId),
    action: Type.Optional(Action),
    resource: Type.Optional(Resource),
    result: Type.Optional(Result),
    rating: Type.Optional(RatingWord),
    state: Type.Optional(OneOf(STATES)),
    evidence: Type.Optional(EvidenceWord),
    ...TimeRange,
    ...PageQuery,
  }),
  response: PageOf(ActionRecord, 'In the order that was asked for.'),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown'],
})

export const DEFAULT_GRAPH_PAGE = 500
const MAX_GRAPH_PAGE = 2_000

const NodeId = Type.String({ description: 'What edges name: the human_ref, agent_id, jti or aar_id.' })

const HumanNode = Closed({
  id: NodeId,
  type: Type.Literal('human'),
  human_ref: HumanRef,
  assurance_level: AssuranceLevel,
})
const AgentNode = Closed({ id: NodeId, type: Type.Literal('agent'), agent_id: StoredAgentId })
const TokenNode = Closed({
  id: NodeId,
  type: Type.Literal('token'),
  jti: Jti,
  agent_id: StoredAgentId,
  delegation_depth: Depth,
  scope: Closed({ resources: Type.Array(Type.String()), actions: Type.Array(Type.String()) }),
  issued_at: Instant,
  expires_at: Instant,
  status: OneOf(TOKEN_STATUSES),
  constraints: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  ),
})
const ActionNode = Closed({
  id: NodeId,
  type: Type.Literal('action'),
  aar_id: AarId,
  action: Type.String(),
  resource: Type.String(),
  state: OneOf(STATES),
  result: Type.Optional(Type.String()),
  spend_usd: Type.Number(),
  trust_score: TrustScore,
  rating: Type.Optional(RatingWord),
  created_at: Instant,
  completed_at: Type.Optional(Instant),
})
export const GraphNode = Type.Union([ActionNode, TokenNode, AgentNode, HumanNode])
export type GraphNode = Static<typeof GraphNode>

export const GraphEdge = Closed({
  type: OneOf(['delegated', 'performed', 'caused'], {
    description:
      'delegated: a human to the root token, a token to its child, a token to the agent that holds it. performed: an agent to its action. caused: an action to what it led to.',
  }),
  from: NodeId,
  to: NodeId,
  token: Type.Optional(Type.String({ description: 'Of a performed edge: the token that was used.' })),
})
export type GraphEdge = Static<typeof GraphEdge>

export const getWorkflowGraph = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/graph',
  tag: 'Provenance',
  summary: 'The execution graph of a workflow',
  description:
    'Who gave which authority to whom, and what was done with it. A page holds up to `limit` actions, oldest first, with every token, agent and human above them. When the actions end, tokens with which nothing was done follow, up to `limit` to a page. An action of an earlier page is named by the edges of what it caused, and not shown again; tokens, agents and the human are shown on each page that needs them.',
  params: WorkflowPath,
  query: Closed({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_GRAPH_PAGE,
        description: `How many actions to answer; ${DEFAULT_GRAPH_PAGE} when absent.`,
      }),
    ),
    cursor: PageQuery.cursor,
  }),
  response: Closed({
    provenance_ref: ProvenanceRef,
    nodes: Type.Array(GraphNode),
    edges: Type.Array(GraphEdge),
    total_records: Count,
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Pass as `cursor` for the next page.',
    }),
    has_more: Type.Boolean(),
  }),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown'],
})

export const getLineage = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}/lineage',
  tag: 'Provenance',
  summary: 'Why an action happened and what it led to',
  description:
    'Its causes up to the first, at most 1,000; its direct effects, at most 200; and the chain of tokens from the actor up to the human.',
  params: Closed({ id: AarId }),
  response: Closed({
    aar_id: AarId,
    record: ActionRecord,
    causes: Type.Array(ActionRecord, { description: 'From the direct cause to the first.' }),
    has_more_causes: Type.Boolean(),
    effects: Type.Array(ActionRecord, { description: 'What it led to directly, oldest first.' }),
    has_more_effects: Type.Boolean(),
    chain: Type.Array(TokenView, { description: 'The token that was used, then each one above it.' }),
  }),
  access: { ...about('record', '/params/id'), ...LISTERS },
  errors: ['record_unknown'],
})

/** What a workflow can be exported as. */
export const EXPORT_FORMATS = {
  ndjson: { media_type: 'application/x-ndjson', extension: 'ndjson' },
  csv: { media_type: 'text/csv', extension: 'csv' },
  'prov-json': { media_type: 'application/json', extension: 'prov.json' },
  'proof-pack': { media_type: 'application/x-ndjson', extension: 'proof-pack.jsonl' },
} as const
export type ExportFormat = keyof typeof EXPORT_FORMATS

export const exportWorkflow = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/export',
  tag: 'Provenance',
  summary: 'Download a workflow',
  description:
    'All of it as of one moment, however large. ndjson: one record a line. csv: RFC 4180 with a header line; a text cell that a spreadsheet might run, or that begins with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON. proof-pack: the entries of the log that tell of the workflow, each with its proof, the records, and the signed checkpoint; `deputy verify` and the page /verify check it without this service. No export holds a token id: `token` and `root_token` are sha256: and the SHA-256 of the id.',
  params: WorkflowPath,
  query: Closed({ format: OneOf(Object.keys(EXPORT_FORMATS) as ExportFormat[]) }),
  streams: [...new Set(Object.values(EXPORT_FORMATS).map(({ media_type }) => media_type))],
  response: Type.String({
    description: 'The file, sent while it is made. A cut connection means that it is not whole.',
  }),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown', 'checkpoint_pending'],
})
