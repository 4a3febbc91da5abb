import type { Static } from 'typebox'
import { about, LISTERS, STAFF } from '../access.ts'
import { ActionRecord, PersonFilters, RecordFilters } from '../actions/records.ts'
import { ApprovalStateWord } from '../approvals/approvals.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AarId,
  AgentRef,
  AnyObject,
  ApprovalId,
  AssuranceLevel,
  Closed,
  Count,
  CountedPageOf,
  DenialId,
  Depth,
  described,
  Flag,
  HasMore,
  HumanRef,
  Instant,
  Jti,
  NextCursor,
  OneOf,
  PageOf,
  PageQuery,
  ProvenanceRef,
  RatingWord,
  ReasonWord,
  RecordStateWord,
  SearchText,
  StoredAgentId,
  StoredScope,
  Text,
  TimeRangeQuery,
  TotalQuery,
  TrustScore,
} from '../shapes.ts'
import { TokenStatusWord, TokenView } from '../tokens/tokens.ts'

const WorkflowPath = Closed({ ref: ProvenanceRef })
const TotalRecords = Count('Action records of the workflow.')
const UniqueAgents = Count('Agents that acted.')

function CountsBy(description: string) {
  return Type.Record(Type.String(), Type.Integer(), { description })
}

export const WorkflowSummary = Closed(
  {
    provenance_ref: ProvenanceRef,
    total_records: TotalRecords,
    unique_agents: UniqueAgents,
    actions_by_type: CountsBy('Number of records by action.'),
    results_by_type: CountsBy('Number of records by outcome.'),
  },
  { title: 'WorkflowSummary', description: 'Counts of a workflow.' },
)

export const getProvenance = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}',
  tag: 'Provenance',
  summary: 'Summarize a workflow',
  description: 'Counts every action of every agent in the workflow.',
  params: WorkflowPath,
  response: WorkflowSummary,
  access: { ...about('workflow', '/params/ref'), ...STAFF, human: 'own', agent: 'workflow' },
  errors: ['workflow_unknown'],
})

const WorkflowState = OneOf(['open', 'closed'], {
  title: 'WorkflowState',
  description: 'closed: the root token was revoked or has expired, so that no token of the workflow works.',
})

export const WorkflowView = Closed(
  {
    provenance_ref: ProvenanceRef,
    human_ref: HumanRef,
    agent_id: described(StoredAgentId, 'Agent of the root token, with the agent: prefix.'),
    assurance_level: AssuranceLevel,
    created_at: described(Instant, 'When the root token was issued.'),
    total_records: TotalRecords,
    unique_agents: UniqueAgents,
    last_action_at: Type.Optional(described(Instant, 'When an agent last acted in the workflow.')),
    state: WorkflowState,
    spent_usd: Type.Number({ description: 'US dollars spent in the workflow.' }),
    reserved_usd: Type.Number({ description: 'US dollars reserved by pending records.' }),
    purpose: Type.Optional(Text('What the root token is for. With `expand=token`.')),
    denials: Type.Optional(Count('Denials in the workflow, at most 10,000. With `expand=denials`.')),
    live_tokens: Type.Optional(
      Count(
        'Tokens of the workflow that are neither expired nor revoked themselves, among its newest 200. 0 if the workflow is closed. With `expand=live_tokens`.',
      ),
    ),
  },
  { title: 'WorkflowView', description: 'A workflow: a root token and everything below it.' },
)

export const listWorkflows = operation({
  method: 'GET',
  path: '/v1/vat/workflows',
  tag: 'Provenance',
  summary: 'List workflows',
  description: 'Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  query: Closed({
    human_ref: PersonFilters.human_ref,
    agent_id: Type.Optional(described(AgentRef, 'Only workflows in which this agent holds a token.')),
    state: Type.Optional(described(WorkflowState, 'Only this state.')),
    q: SearchText('the agent of the root token, or the beginning of the workflow ID.'),
    expand: Type.Optional(
      Text('What to add: `token` (the purpose), `denials`, `live_tokens`, separated by commas.', {
        pattern: '^(token|denials|live_tokens)(,(token|denials|live_tokens)){0,2}$',
        examples: ['token,denials'],
      }),
    ),
    ...TotalQuery,
    ...TimeRangeQuery,
    ...PageQuery,
  }),
  response: CountedPageOf(WorkflowView),
  access: LISTERS,
  errors: [],
})

export const listWorkflowRecords = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/records',
  tag: 'Provenance',
  summary: 'List the actions of a workflow',
  description: 'A page can hold fewer entries than `limit`: continue while `has_more` is true.',
  params: WorkflowPath,
  query: Closed({
    order: Type.Optional(
      OneOf(['newest', 'oldest'], { description: 'Which records come first. newest by default.' }),
    ),
    ...RecordFilters,
    ...TimeRangeQuery,
    ...PageQuery,
  }),
  response: PageOf(ActionRecord, 'The records in the requested order.'),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown'],
})

export const DEFAULT_GRAPH_PAGE = 500
const MAX_GRAPH_PAGE = 2_000

const NodeId = Type.String({
  title: 'NodeId',
  description:
    'ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id.',
})

const HumanNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('human', { description: 'Kind of node.' }),
    human_ref: HumanRef,
    assurance_level: AssuranceLevel,
  },
  { title: 'HumanNode', description: 'The person behind the workflow.' },
)
const AgentNode = Closed(
  { id: NodeId, type: Type.Literal('agent', { description: 'Kind of node.' }), agent_id: StoredAgentId },
  { title: 'AgentNode', description: 'An agent of the workflow.' },
)
const TokenNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('token', { description: 'Kind of node.' }),
    jti: Jti,
    agent_id: StoredAgentId,
    delegation_depth: Depth,
    scope: StoredScope,
    issued_at: described(Instant, 'When the token was issued.'),
    expires_at: described(Instant, 'When the token expires.'),
    status: TokenStatusWord,
    constraints: Type.Optional(AnyObject({ description: 'Constraints of the token.' })),
  },
  { title: 'TokenNode', description: 'A token of the workflow.' },
)
const ActionNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('action', { description: 'Kind of node.' }),
    aar_id: AarId,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    state: RecordStateWord,
    result: Type.Optional(Text('Outcome of the action. Absent while the record is pending.')),
    spend_usd: Type.Number({ description: 'US dollars, reserved or spent.' }),
    trust_score: TrustScore,
    rating: Type.Optional(RatingWord),
    created_at: described(Instant, 'When the record was created.'),
    completed_at: Type.Optional(described(Instant, 'When the record was closed.')),
  },
  { title: 'ActionNode', description: 'An action of the workflow.' },
)
const DenialNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('denial', { description: 'Kind of node.' }),
    denial_id: DenialId,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    reason: described(ReasonWord, 'The first reason.'),
    spend_usd: Type.Number({ description: 'US dollars that the action would have spent.' }),
    created_at: described(Instant, 'When the action was denied.'),
  },
  { title: 'DenialNode', description: 'A denied action of the workflow. With `expand=denials`.' },
)
const ApprovalNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('approval', { description: 'Kind of node.' }),
    approval_id: ApprovalId,
    action: Text('Action verb.'),
    resource: Text('Resource, as `<namespace>:<name>`.'),
    state: ApprovalStateWord,
    spend_usd: Type.Number({ description: 'US dollars that the action would spend.' }),
    created_at: described(Instant, 'When the approval was requested.'),
    decided_at: Type.Optional(described(Instant, 'When the approval was decided.')),
    used_by: Type.Optional(described(AarId, 'The action that was done with the approval.')),
  },
  { title: 'ApprovalNode', description: 'An approval of the workflow. With `expand=approvals`.' },
)
const RatingNode = Closed(
  {
    id: NodeId,
    type: Type.Literal('rating', { description: 'Kind of node.' }),
    aar_id: described(AarId, 'The action that was rated.'),
    rating: RatingWord,
    rater_assurance: Text('How the rater was verified.'),
    created_at: described(Instant, 'When the action was rated.'),
  },
  { title: 'RatingNode', description: 'The rating of an action. With `expand=ratings`.' },
)
const NODES = [ActionNode, TokenNode, AgentNode, HumanNode, DenialNode, ApprovalNode, RatingNode] as const
export const GraphNode = Type.Union([...NODES], {
  title: 'GraphNode',
  description: 'A node of the execution graph.',
})
export type GraphNode = Static<typeof GraphNode>

export const GraphEdge = Closed(
  {
    type: OneOf(['delegated', 'performed', 'caused', 'denied', 'asked', 'rated'], {
      description:
        'delegated: from a person to the root token, from a token to its child, or from a token to the agent that holds it. performed: from an agent to its action. caused: from an action to an action that it led to. denied: from an agent to a denial. asked: from an agent to an approval. rated: from a rating to its action.',
    }),
    from: described(NodeId, 'Node that the edge starts at.'),
    to: described(NodeId, 'Node that the edge ends at.'),
    token: Type.Optional(Text('On a performed, denied or asked edge: the token that was used.')),
  },
  { title: 'GraphEdge', description: 'An edge of the execution graph.' },
)
export type GraphEdge = Static<typeof GraphEdge>

export const getWorkflowGraph = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/graph',
  tag: 'Provenance',
  summary: 'Get the execution graph of a workflow',
  description:
    'Shows who delegated to whom and what was done. A page holds up to `limit` actions, oldest first, with every token, agent and person above them. With `expand`, denials and approvals come in the order of time with the actions, up to `limit` of each. After the last of them come the unused tokens, up to `limit` per page. Edges can refer to actions of earlier pages, which are not repeated; tokens, agents and the person are repeated on every page that needs them.',
  params: WorkflowPath,
  query: Closed({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_GRAPH_PAGE,
        description: `Maximum number of actions to return. ${DEFAULT_GRAPH_PAGE} by default.`,
      }),
    ),
    expand: Type.Optional(
      Text('Further nodes to show: `denials`, `approvals`, `ratings`, separated by commas.', {
        pattern: '^(denials|approvals|ratings)(,(denials|approvals|ratings)){0,2}$',
        examples: ['denials,approvals'],
      }),
    ),
    cursor: PageQuery.cursor,
  }),
  response: Closed({
    provenance_ref: ProvenanceRef,
    nodes: Type.Array(GraphNode, { description: 'The nodes of this page.' }),
    edges: Type.Array(GraphEdge, { description: 'The edges of this page.' }),
    total_records: TotalRecords,
    next_cursor: NextCursor,
    has_more: HasMore,
  }),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown'],
})

export const getLineage = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}/lineage',
  tag: 'Provenance',
  summary: 'Get the causes and effects of an action',
  description:
    'Returns its causes up to the first one (at most 1,000), its direct effects (at most 200), and the chain of tokens from the agent up to the person.',
  params: Closed({ id: AarId }),
  response: Closed({
    aar_id: AarId,
    record: ActionRecord,
    causes: Type.Array(ActionRecord, { description: 'The direct cause, then each earlier one.' }),
    has_more_causes: Flag('Whether causes were left out.'),
    effects: Type.Array(ActionRecord, { description: 'Direct effects, oldest first.' }),
    has_more_effects: Flag('Whether effects were left out.'),
    chain: Type.Array(TokenView, { description: 'The token that was used, then each ancestor.' }),
  }),
  access: { ...about('record', '/params/id'), ...LISTERS },
  errors: ['record_unknown'],
})

/** The formats of an export. */
export const EXPORT_FORMATS = {
  ndjson: { media_type: 'application/x-ndjson', extension: 'ndjson' },
  csv: { media_type: 'text/csv', extension: 'csv' },
  'prov-json': { media_type: 'application/json', extension: 'prov.json' },
  ocsf: { media_type: 'application/x-ndjson', extension: 'ocsf.ndjson' },
  'proof-pack': { media_type: 'application/x-ndjson', extension: 'proof-pack.jsonl' },
} as const
export type ExportFormat = keyof typeof EXPORT_FORMATS

export const exportWorkflow = operation({
  method: 'GET',
  path: '/v1/vat/aar/provenance/{ref}/export',
  tag: 'Provenance',
  summary: 'Export a workflow',
  description:
    'Downloads a consistent snapshot of the whole workflow, without a size limit. ndjson: one record per line. csv: RFC 4180 with a header line; a cell that a spreadsheet could run as a formula, or that starts with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON. ocsf: every event of the workflow as a row of OCSF 1.8, one per line, for a SIEM. proof-pack: the log entries of the workflow with their proofs, the records and the signed checkpoint; `deputy verify` and the page /verify check it without this service. Exports never contain a token ID: `token` and `root_token` are SHA-256 digests of the ID.',
  params: WorkflowPath,
  query: Closed({
    format: OneOf(Object.keys(EXPORT_FORMATS) as ExportFormat[], { description: 'Format of the file.' }),
  }),
  streams: [...new Set(Object.values(EXPORT_FORMATS).map(({ media_type }) => media_type))],
  response: Text('The file. If the connection is cut, the file is incomplete.'),
  access: { ...about('workflow', '/params/ref'), ...LISTERS },
  errors: ['workflow_unknown', 'checkpoint_pending'],
})
