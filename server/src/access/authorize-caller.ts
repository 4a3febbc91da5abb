import {
  ACCESS,
  type Access,
  AuthorityError,
  DEFAULT_TENANT,
  type ErrorCode,
  type Evidence,
  type OperationId,
  type Reach,
  type Subject,
  tenantOf,
} from '@deputize/protocol'
import { livenessReasons } from '../domain/decision.ts'
import type { Chain } from '../domain/token.ts'
import { EVERY_TOKEN, type ReadStore } from '../store/port.ts'
import type { AgentCaller, Caller, HumanCaller, KeyCaller } from './caller.ts'

/** The checked input of a call, as far as the table points into it. */
export interface CallInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** What decides whose a thing is. */
interface Standing {
  readonly tenant_id: string
  readonly human_ref: string
  readonly provenance_ref: string
  /** The token that it is, or was made with. */
  readonly jti: string
  /** A record that a resource server opened and has not ended yet. */
  readonly is_watched: boolean
}

type Credentialed = KeyCaller | HumanCaller | AgentCaller

/** A token that an agent showed to a resource server, which shows it to us. */
export interface PresentedToken {
  readonly jti: string
  readonly tenant_id: string
  readonly audience: string | undefined
}

export interface PermitOptions {
  readonly reader: ReadStore
  /** Whether a person may rate and approve for others of the tenant. */
  readonly isReviewer: (tenant_id: string, human_ref: string) => Promise<boolean>
  readonly clock: () => number
}

export type Permit = ReturnType<typeof permit>

/**
 * Asks the table whether somebody of this role may make this call at all. Refuses with 401 when nobody is known and with
 * 403 when the role may not.
 */
export function assertRole(caller: Caller, operation_id: OperationId): void {
  const row = ACCESS[operation_id]
  if (caller.role === 'local' || row.public === true) return
  if (caller.role === 'public') throw new AuthorityError('credential_required')
  const reach = row[caller.role]
  if (reach === undefined) throw roleRefusal(row, caller)
  if (reach === 'deployment' && caller.tenant_id !== DEFAULT_TENANT)
    throw new AuthorityError(
      'role_not_allowed',
      `This concerns the whole deployment: it takes a credential of the tenant ${DEFAULT_TENANT}.`,
    )
}

/**
 * What an agent may still ask for when its token is not in force: what is answered with a decision that is kept as evidence,
 * what ends an action that had begun, and how the token stands. Whoever was silenced reads nothing else.
 */
const OPEN_TO_SILENCED: readonly OperationId[] = [
  'authorize',
  'authorizeBatch',
  'recordAction',
  'recordBatch',
  'completeRecord',
  'cancelRecord',
  'getToken',
]

/** Asks the table whether what a call is about lies within the caller's reach, and answers as if it did not exist if not. */
export function permit({ reader, isReviewer, clock }: PermitOptions) {
  return async (
    caller: Caller,
    operation_id: OperationId,
    input: CallInput,
    presented: PresentedToken | undefined,
  ): Promise<void> => {
    assertRole(caller, operation_id)
    if (caller.role === 'local' || caller.role === 'public') return
    if (caller.role === 'agent' && !OPEN_TO_SILENCED.includes(operation_id)) await assertLive(caller)
    const row = ACCESS[operation_id]
    const reach = row[caller.role]
    if (row.about === undefined || reach === undefined) return
    for (const id of subjectsIn(row.about, input))
      await assertWithin(reach, caller, row, row.about, id, presented)
  }

  async function assertLive({ jti }: AgentCaller): Promise<void> {
    const chain = await reader.chain(jti)
    if (chain === undefined) throw new AuthorityError('token_unknown')
    const reasons = livenessReasons(chain, clock())
    if (reasons.length > 0) throw new AuthorityError('token_not_live', undefined, { reasons })
  }

  async function assertWithin(
    reach: Reach,
    caller: Credentialed,
    row: Access,
    { kind }: Subject,
    id: string,
    presented: PresentedToken | undefined,
  ): Promise<void> {
    if (reach === 'any' || kind === 'agent') return // the name of an agent means that of the caller's tenant
    if (reach === 'presented') return assertPresented(caller, id, presented)
    if (kind === 'token' && reach === 'own' && caller.role === 'agent') return assertOwnToken(caller, id)
    if (kind === 'human' && caller.role === 'human' && caller.human_refs.includes(id)) return
    const standing = await standingOf(kind, id, caller)
    if (standing !== undefined && standing.tenant_id === caller.tenant_id) {
      if (await isWithin(reach, caller, standing)) return
      if (
        row.reviewers === true &&
        caller.role === 'human' &&
        (await isReviewer(caller.tenant_id, caller.human_ref))
      )
        return
    }
    throw new AuthorityError(UNKNOWN[kind])
  }

  async function isWithin(reach: Reach, caller: Credentialed, standing: Standing): Promise<boolean> {
    switch (reach) {
      case 'tenant':
        return true
      case 'own':
        return caller.role === 'human'
          ? caller.human_refs.includes(standing.human_ref)
          : caller.role === 'agent' && caller.jti === standing.jti
      case 'opened':
        return caller.role === 'agent' && caller.jti === standing.jti && !standing.is_watched
      case 'below':
        return caller.role === 'agent' && (await chainHolds(standing.jti, caller.jti))
      case 'workflow':
        return caller.role === 'agent' && caller.provenance_ref === standing.provenance_ref
      case 'audience':
        return 'audience' in caller && (await isMeantFor(standing.jti, caller.audience))
      default:
        return false
    }
  }

  async function chainHolds(jti: string, above: string): Promise<boolean> {
    if (jti === above) return true
    const chain = await reader.chain(jti)
    return chain?.some(({ token }) => token.jti === above) ?? false
  }

  async function isMeantFor(jti: string, audience: string | undefined): Promise<boolean> {
    const chain = await reader.chain(jti)
    return audience !== undefined && chain?.[0].token.claims.aud === audience
  }

  async function standingOf(
    kind: Subject['kind'],
    id: string,
    caller: Credentialed,
  ): Promise<Standing | undefined> {
    switch (kind) {
      case 'token':
        return tokenStanding(await reader.chain(id))
      case 'record':
        return madeWith(await reader.record(id))
      case 'denial':
        return madeWith(await reader.denial(id))
      case 'approval':
        return madeWith(await reader.approval(id))
      case 'workflow': {
        const facts = await reader.workflows.facts(id)
        return facts && { ...OF_NOBODY, ...facts, tenant_id: tenantOf(facts.agent_id) }
      }
      case 'human':
        return humanStanding(id, caller)
      case 'tenant':
        return { tenant_id: reachesAllTenants(caller) ? caller.tenant_id : id, ...OF_NOBODY }
      case 'key': {
        const entry = await reader.registry.entry('api_key', id)
        if (entry?.document === undefined) return undefined
        return { tenant_id: reachesAllTenants(caller) ? caller.tenant_id : entry.tenant_id, ...OF_NOBODY }
      }
      case 'passkey': {
        const entry = await reader.registry.entry('passkey', id)
        if (entry?.document === undefined) return undefined
        return { ...OF_NOBODY, tenant_id: entry.tenant_id, human_ref: entry.owner ?? '' }
      }
      case 'agent':
        return undefined
    }
  }

  /** A person is known to a tenant by the tokens in their name. */
  async function humanStanding(
    human_ref: string,
    { tenant_id }: Credentialed,
  ): Promise<Standing | undefined> {
    const { entries } = await reader.tokens(
      { ...EVERY_TOKEN, human_ref, tenant_id },
      { limit: 1, before: undefined },
    )
    return entries.length === 0 ? undefined : { ...OF_NOBODY, tenant_id, human_ref }
  }
}

const OF_NOBODY = { human_ref: '', provenance_ref: '', jti: '', is_watched: false } as const

/** Operators of the default tenant look after the keys and settings of every other. */
function reachesAllTenants({ role, tenant_id }: Credentialed): boolean {
  return role === 'operator' && tenant_id === DEFAULT_TENANT
}

const UNKNOWN: Readonly<Record<Subject['kind'], ErrorCode>> = {
  token: 'token_unknown',
  record: 'record_unknown',
  denial: 'denial_unknown',
  approval: 'approval_unknown',
  workflow: 'workflow_unknown',
  agent: 'agent_unknown',
  human: 'human_unknown',
  tenant: 'tenant_unknown',
  key: 'key_unknown',
  passkey: 'passkey_unknown',
}

function roleRefusal(row: Access, { role }: Credentialed): AuthorityError {
  const roles = Object.keys(row).filter((name) => name in ROLE_NAMES)
  return new AuthorityError(
    'role_not_allowed',
    `This call is for ${roles.map((name) => ROLE_NAMES[name as keyof typeof ROLE_NAMES]).join(', ')}, and the credential is that of ${ROLE_NAMES[role]}.`,
    { role, roles },
  )
}

const ROLE_NAMES = {
  operator: 'an operator',
  developer: 'a developer',
  human: 'a person who has signed in',
  agent: 'an agent with its own token',
  resource_server: 'a resource server',
  auditor: 'an auditor',
} as const

/** Whether the token exists is nobody's business here, so nothing is looked up. */
function assertOwnToken(caller: AgentCaller, jti: string): void {
  if (jti !== caller.jti)
    throw new AuthorityError(
      'not_yours',
      'An agent acts with its own token: vat_jti must be the jti of the token in the Authorization header.',
    )
}

function assertPresented(caller: Credentialed, jti: string, presented: PresentedToken | undefined): void {
  if (presented === undefined)
    throw new AuthorityError(
      'not_yours',
      'Send the token that the agent showed to you in the header Deputy-Token.',
    )
  if (presented.jti !== jti)
    throw new AuthorityError('not_yours', 'vat_jti must be the jti of the token in the header Deputy-Token.')
  if (!('audience' in caller) || caller.audience === undefined || presented.audience !== caller.audience)
    throw new AuthorityError(
      'not_yours',
      'The token in the header Deputy-Token is meant for another audience.',
    )
  // Anybody can write any audience into the tokens of their own tenant.
  if (presented.tenant_id !== caller.tenant_id)
    throw new AuthorityError('not_yours', 'The token in the header Deputy-Token is of another tenant.')
}

/** The ids that the table points at; none where an optional member is absent. */
export function subjectsIn({ at }: Subject, input: CallInput): string[] {
  return at
    .split('/')
    .slice(1)
    .reduce<unknown[]>((found, step) => found.flatMap((value) => membersOf(value, step)), [input])
    .filter((value) => typeof value === 'string')
}

function membersOf(value: unknown, step: string): unknown[] {
  if (step === '*') return Array.isArray(value) ? value : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  return [(value as Readonly<Record<string, unknown>>)[step]] // an object has members of any kind
}

function tokenStanding(chain: Chain | undefined): Standing | undefined {
  if (chain === undefined) return undefined
  const { token } = chain[0]
  return { ...madeWith({ ...token, vat_jti: token.jti }) }
}

interface MadeWithToken {
  readonly vat_jti: string
  readonly agent_id: string
  readonly human_ref: string
  readonly provenance_ref: string
  readonly evidence?: Evidence
  readonly state?: string
}

function madeWith(entry: MadeWithToken): Standing
function madeWith(entry: MadeWithToken | undefined): Standing | undefined
function madeWith(entry: MadeWithToken | undefined): Standing | undefined {
  if (entry === undefined) return undefined
  const { vat_jti, agent_id, human_ref, provenance_ref, evidence, state } = entry
  const is_watched = evidence === 'observed' && state === 'pending'
  return { tenant_id: tenantOf(agent_id), human_ref, provenance_ref, jti: vat_jti, is_watched }
}
