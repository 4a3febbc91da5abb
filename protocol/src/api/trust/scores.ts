import { STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  Count,
  described,
  Flag,
  HumanRef,
  OneOf,
  PageQuery,
  Sha256Digest,
  StoredAgentId,
} from '../shapes.ts'
import {
  AsOf,
  AsQuery,
  ContextQuery,
  CutPartShape,
  StoredSubject,
  TrustPath,
  TrustSubject,
  VouchContext,
  VouchId,
  VouchScoreValue,
  VouchWeight,
  Withheld,
  Words,
} from './shapes.ts'

const EVERYONE_IN_TENANT = {
  ...STAFF,
  human: 'tenant',
  agent: 'tenant',
  resource_server: 'tenant',
} as const

const Considered = {
  anchors: Count('Anchors that were considered.'),
  vouches: Count('Vouches that were considered.'),
  truncated: Flag(
    'Whether there were more vouches than one response considers. The flow is then a lower bound.',
  ),
}

export const getVouchScore = operation({
  method: 'GET',
  path: '/v1/vat/trust/scores/{subject}',
  tag: 'Trust',
  summary: 'Get the score of a person or an agent',
  description:
    'How much of the trust in verified people reaches the subject: a maximum flow along vouches, on paths of at most 5. Made-up accounts add nothing to it. With `explain`, the response names the paths that carry the flow and what limits it; both add up to the flow, which the service checks before it answers. Agents and resource servers get neither `explain` nor `as`, which show who vouches for whom; people see the names of their own vouches, and `as` takes their own ref. Computed from the log: `deputy verify --trust` computes the same number.',
  params: Closed({ subject: TrustSubject }),
  query: Closed({
    context: ContextQuery,
    as: AsQuery,
    at: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Compute the score for the log at this size. The current size by default.',
      }),
    ),
    explain: Type.Optional(OneOf(['1', 'true'], { description: 'Also return `paths` and `cut`.' })),
  }),
  response: Closed({
    subject: StoredSubject,
    score: VouchScoreValue,
    flow: Words,
    ...Considered,
    context: Type.Optional(VouchContext),
    as: Type.Optional(described(HumanRef, 'The only anchor, if you named one.')),
    as_of: AsOf,
    withheld: Withheld,
    paths: Type.Optional(
      Type.Array(TrustPath, { description: 'How the flow reaches the subject, largest first.' }),
    ),
    cut: Type.Optional(
      Type.Array(CutPartShape, {
        description: 'What limits the flow: every path passes one of these.',
      }),
    ),
  }),
  access: EVERYONE_IN_TENANT,
  errors: ['human_unknown', 'agent_unknown', 'trust_unavailable'],
})

export const findTrustPaths = operation({
  method: 'GET',
  path: '/v1/vat/trust/paths',
  tag: 'Trust',
  summary: 'Find the paths from a person to a subject',
  description:
    'The paths along which the trust in one person reaches the subject, the widest first. People can only ask for paths from themselves.',
  query: Closed({
    from: described(Sha256Digest, 'Where the paths begin, by `human_ref`.'),
    to: TrustSubject,
    context: ContextQuery,
  }),
  response: Closed({
    from: HumanRef,
    to: StoredSubject,
    flow: described(Words, 'Total flow of all paths.'),
    truncated: Considered.truncated,
    as_of: AsOf,
    withheld: Withheld,
    paths: Type.Array(TrustPath, { description: 'The ways, the widest first.' }),
  }),
  access: { ...STAFF, human: 'tenant' },
  errors: ['human_unknown', 'agent_unknown', 'trust_unavailable'],
})

export const getTrustGraph = operation({
  method: 'GET',
  path: '/v1/vat/trust/graph',
  tag: 'Trust',
  summary: 'Get the vouches around a person or an agent',
  description:
    'People, agents and standing vouches within a number of steps, in both directions, for drawing. People see the vouches that they gave or got, and those for an agent that they own.',
  query: Closed({
    around: TrustSubject,
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3, description: 'How many steps away. 2 by default.' }),
    ),
  }),
  response: Closed({
    around: StoredSubject,
    as_of: AsOf,
    withheld: Withheld,
    nodes: Type.Array(
      Closed(
        {
          subject: StoredSubject,
          base: Type.Optional(
            described(Words, 'The own word of an anchor. Absent for people who are not anchors.'),
          ),
          steps: Count('Steps from the subject that you asked about.'),
        },
        { title: 'TrustNode', description: 'A person or an agent.' },
      ),
      { description: 'People and agents, the nearest first, at most 500.' },
    ),
    edges: Type.Array(
      Closed(
        {
          vouch_id: VouchId,
          from: described(HumanRef, 'The person who vouches.'),
          to: StoredSubject,
          weight: VouchWeight,
          context: Type.Optional(VouchContext),
        },
        { title: 'TrustEdge', description: 'A standing vouch between two of the nodes.' },
      ),
      { description: 'Standing vouches between the nodes.' },
    ),
    truncated: Flag('Whether there is more than one response shows.'),
  }),
  access: { ...STAFF, human: 'tenant' },
  errors: ['human_unknown', 'agent_unknown', 'trust_unavailable'],
})

export const rankByVouches = operation({
  method: 'GET',
  path: '/v1/vat/trust/ranking',
  tag: 'Trust',
  summary: 'Rank agents by their score',
  description:
    'Agents that someone vouches for, the highest score first. Computed in the background: `as_of` is the state of the log it was computed from.',
  query: Closed({ context: ContextQuery, limit: PageQuery.limit }),
  response: Closed({
    as_of: AsOf,
    truncated: Flag('Whether there are more agents than one ranking considers.'),
    data: Type.Array(
      Closed(
        { agent_id: StoredAgentId, score: VouchScoreValue, flow: Words },
        { title: 'RankedAgent', description: 'An agent and its score.' },
      ),
      { description: 'The agents, the highest score first.' },
    ),
  }),
  access: EVERYONE_IN_TENANT,
  errors: ['trust_unavailable'],
})
