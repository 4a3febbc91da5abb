import type { StepUp } from './deployment/tenants-and-keys.ts'
import { OPERATIONS, type OperationId } from './operations.ts'

/** Who calls in keyed mode. A credential has exactly one role, in exactly one tenant. */
export const ROLES = {
  operator:
    'Looks after a tenant: its keys, its settings, its people. Can silence agents, but never acts, rates or approves.',
  developer: 'Builds agents: asks for authority at L1, registers agents, watches and silences them.',
  human: 'A person who has signed in. Rates, approves, revokes and erases what is theirs.',
  agent: 'An agent with its own token. Acts, and passes on what it holds.',
  resource_server:
    'A service that agents call. Authorizes and records what is done with tokens that are shown to it.',
  auditor: 'Reads everything of a tenant and changes nothing.',
} as const satisfies Record<string, string>

export type Role = keyof typeof ROLES

/** How far a role reaches. Whatever lies outside is answered as if it did not exist. */
export const REACHES = {
  any: 'nothing in particular is asked for',
  deployment: 'only with a credential of the tenant `default`, which looks after the whole deployment',
  tenant: 'everything of the tenant',
  own: 'people: what is done in their name; agents: their own token',
  opened:
    'agents: what they began with their own token. What a resource server began only that one ends, or an agent would give back what it spends there',
  below: 'the own token, and everything that was delegated from it',
  workflow: 'the workflow that the own token belongs to',
  audience: 'tokens that name this service as their audience',
  presented: 'tokens of the tenant that name this service as their audience, while they are shown to it',
} as const satisfies Record<string, string>

export type Reach = keyof typeof REACHES

/** What a call is about, and where in the request it is named: `/body/vat_jti`, or each of `/body/items/*\/vat_jti`. */
export interface Subject {
  readonly kind:
    | 'token'
    | 'record'
    | 'denial'
    | 'approval'
    | 'workflow'
    | 'agent'
    | 'human'
    | 'tenant'
    | 'key'
    | 'passkey'
  readonly at: string
}

/** Which roles may call an operation, and how far each of them reaches. A role that is not named may not call. */
export interface Access extends Readonly<Partial<Record<Role, Reach>>> {
  /** Nobody has to say who they are. */
  readonly public?: true
  /** Without it a call is about no one thing: lists show only what the caller may see. */
  readonly about?: Subject
  /** People of the tenant who are named as reviewers may do this for others. */
  readonly reviewers?: true
  /** The tenant may ask people for a fresh passkey, by naming this group. */
  readonly step_up?: StepUp
}

function token(at: string): Pick<Access, 'about'> {
  return { about: { kind: 'token', at } }
}
const record = { about: { kind: 'record', at: '/params/id' } } as const
const workflow = { about: { kind: 'workflow', at: '/params/ref' } } as const
const agent = { about: { kind: 'agent', at: '/params/agent_id' } } as const
const human = { about: { kind: 'human', at: '/params/human_ref' } } as const
const tenant = { about: { kind: 'tenant', at: '/params/tenant_id' } } as const
const key = { about: { kind: 'key', at: '/params/key_id' } } as const
const approval = { about: { kind: 'approval', at: '/params/id' } } as const

const staff = { operator: 'tenant', developer: 'tenant', auditor: 'tenant' } as const
const everybody = {
  operator: 'any',
  developer: 'any',
  human: 'any',
  agent: 'any',
  resource_server: 'any',
  auditor: 'any',
} as const
const readers = { ...staff, human: 'own', agent: 'below', resource_server: 'audience' } as const
const lists = { ...staff, human: 'own' } as const
const actors = { agent: 'own', resource_server: 'presented' } as const
const deciders = { human: 'own', reviewers: true, step_up: 'approve' } as const
const passkey = { about: { kind: 'passkey', at: '/params/id' } } as const
const silencers = { operator: 'tenant', developer: 'tenant', human: 'own', agent: 'below' } as const
const nobodyAsked = { public: true } as const

/** The one table of who may call what in keyed mode. What has no row here does not exist. */
export const ACCESS: Readonly<Record<OperationId, Access>> = {
  issueL1: { developer: 'tenant', human: 'own' },
  issueL2: { developer: 'tenant', human: 'own', step_up: 'issue_l2' },
  delegate: { ...token('/body/vat_jti'), human: 'own', agent: 'own' },
  previewDelegation: { ...token('/body/vat_jti'), human: 'own', agent: 'own', developer: 'tenant' },
  renewToken: { ...token('/body/vat_jti'), human: 'own', developer: 'tenant' },
  listTokens: lists,
  getToken: { ...token('/params/jti'), ...readers },
  getTokenChain: { ...token('/params/jti'), ...staff, human: 'own', agent: 'own' },
  listDescendants: { ...token('/params/jti'), ...staff, human: 'own', agent: 'below' },
  getTokenBudget: { ...token('/params/jti'), ...readers },
  getTokenUsage: { ...token('/params/jti'), ...staff, human: 'own', agent: 'below' },
  revokeToken: { ...token('/body/vat_jti'), ...silencers },
  previewRevocation: { ...token('/body/vat_jti'), ...silencers },
  revokeAgent: {
    about: { kind: 'agent', at: '/body/agent_id' },
    operator: 'tenant',
    developer: 'tenant',
  },
  revokeHuman: {
    about: { kind: 'human', at: '/body/human_ref' },
    operator: 'tenant',
    human: 'own',
    step_up: 'revoke_many',
  },
  suspendToken: { ...token('/params/jti'), ...silencers },
  resumeToken: { ...token('/params/jti'), operator: 'tenant', developer: 'tenant', human: 'own' },
  verifyToken: { ...everybody },
  introspectToken: { ...everybody },
  exchangeToken: { agent: 'own' },
  listRevocations: { ...everybody },
  getStatusList: nobodyAsked,
  recordAction: { ...token('/body/vat_jti'), ...actors },
  recordBatch: { ...token('/body/items/*/vat_jti'), ...actors },
  authorize: { ...token('/body/vat_jti'), ...actors },
  authorizeBatch: { ...token('/body/items/*/vat_jti'), ...actors },
  completeRecord: { ...record, agent: 'opened', resource_server: 'audience' },
  cancelRecord: { ...record, agent: 'opened', resource_server: 'audience' },
  getRecord: { ...record, ...readers },
  listRecords: lists,
  getDenial: { about: { kind: 'denial', at: '/params/id' }, ...readers },
  listDenials: lists,
  rateRecord: { ...record, ...deciders, step_up: 'rate' },
  listApprovals: lists,
  getApproval: {
    ...approval,
    ...staff,
    human: 'own',
    reviewers: true,
    agent: 'own',
    resource_server: 'audience',
  },
  approve: { ...approval, ...deciders },
  deny: { ...approval, ...deciders },
  decideApprovals: { about: { kind: 'approval', at: '/body/items/*/approval_id' }, ...deciders },
  listHabits: lists,
  endHabit: { about: { kind: 'human', at: '/body/human_ref' }, human: 'own', operator: 'tenant' },
  registerAgent: { operator: 'tenant', developer: 'tenant' },
  listAgents: staff,
  getAgent: { ...agent, ...staff, human: 'tenant' },
  updateAgent: { ...agent, operator: 'tenant', developer: 'tenant' },
  suspendAgent: { ...agent, operator: 'tenant', developer: 'tenant' },
  resumeAgent: { ...agent, operator: 'tenant', developer: 'tenant' },
  getReputation: { ...agent, ...staff, human: 'tenant', agent: 'tenant', resource_server: 'tenant' },
  getReputationHistory: { ...agent, ...staff, human: 'tenant', agent: 'tenant', resource_server: 'tenant' },
  rankAgents: { ...staff, human: 'tenant' },
  listWorkflows: lists,
  getProvenance: { ...workflow, ...staff, human: 'own', agent: 'workflow' },
  getReceipt: { ...record, ...readers },
  getCheckpoint: nobodyAsked,
  getTile: nobodyAsked,
  getEntries: { operator: 'deployment', auditor: 'deployment' },
  listLogEntries: { operator: 'deployment', auditor: 'deployment' },
  getLogEntry: { operator: 'deployment', auditor: 'deployment' },
  getInclusionProof: nobodyAsked,
  getConsistencyProof: nobodyAsked,
  listCheckpoints: nobodyAsked,
  getHuman: { ...human, ...staff, human: 'own' },
  exportHuman: { ...human, human: 'own', operator: 'tenant', step_up: 'erase' },
  eraseHuman: { ...human, human: 'own', operator: 'tenant', step_up: 'erase' },
  startLogin: { developer: 'tenant', human: 'own' },
  getLogin: { developer: 'tenant', human: 'own' },
  listProviders: nobodyAsked,
  beginPasskey: { human: 'own', step_up: 'passkeys' },
  finishPasskey: { human: 'own' },
  beginPasskeyLogin: nobodyAsked,
  finishPasskeyLogin: nobodyAsked,
  listPasskeys: { about: { kind: 'human', at: '/query/human_ref' }, human: 'own', operator: 'tenant' },
  deletePasskey: { ...passkey, human: 'own', operator: 'tenant', step_up: 'passkeys' },
  getMe: { human: 'own' },
  logOut: { human: 'own' },
  beginStepUp: { human: 'own' },
  finishStepUp: { human: 'own' },
  listWorkflowRecords: { ...workflow, ...lists },
  getWorkflowGraph: { ...workflow, ...lists },
  exportWorkflow: { ...workflow, ...lists },
  getLineage: { ...record, ...lists },
  listPolicies: { ...everybody },
  getPolicy: { ...everybody },
  evaluatePolicies: { ...token('/body/vat_jti'), ...readers },
  createTenant: { operator: 'deployment' },
  listTenants: { operator: 'tenant', developer: 'tenant', auditor: 'tenant' },
  getTenant: { ...tenant, operator: 'tenant', developer: 'tenant', auditor: 'tenant', human: 'tenant' },
  updateTenant: { ...tenant, operator: 'tenant' },
  createKey: { about: { kind: 'tenant', at: '/body/tenant_id' }, operator: 'tenant' },
  listKeys: { about: { kind: 'tenant', at: '/query/tenant_id' }, operator: 'tenant', auditor: 'tenant' },
  deleteKey: { ...key, operator: 'tenant' },
  rotateKey: { ...key, operator: 'tenant' },
  setUp: nobodyAsked,
  rotateSigningKey: { operator: 'deployment' },
  listSigningKeys: { operator: 'any', developer: 'any', auditor: 'any' },
  getKeySet: nobodyAsked,
  getAuthorizationServer: nobodyAsked,
  getDeployment: nobodyAsked,
  getHealth: nobodyAsked,
  getReadiness: nobodyAsked,
}

/** Operations that no row speaks of, and rows for nothing. Both must be empty before a server starts. */
export function accessGaps(): { readonly missing: string[]; readonly idle: string[] } {
  return {
    missing: Object.keys(OPERATIONS).filter((id) => !Object.hasOwn(ACCESS, id)),
    idle: Object.keys(ACCESS).filter((id) => !Object.hasOwn(OPERATIONS, id)),
  }
}
