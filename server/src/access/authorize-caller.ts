import {
  ACCESS,
  type Access,
  AuthorityError,
  DEFAULT_TENANT,
  type ErrorCode,
  isTokenId,
  type OperationId,
  type Reach,
  type Subject,
} from '@deputize/protocol'
import { assertLive } from '../domain/decision.ts'
import { renewalViews } from '../domain/tokens/token.ts'
import type { ReadStore } from '../store/port.ts'
import type { ForwardedToken } from './agent-token.ts'
import type { AgentCaller, Caller } from './caller.ts'
import { type KnownCaller, type Ownership, ownershipOf } from './ownership.ts'

/** The validated input of a call, in the members that the access table points into. */
export interface ValidatedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

export interface AuthorizeCallerOptions {
  readonly reader: ReadStore
  /** Whether a person may rate and approve for others of the tenant. */
  readonly isReviewer: (tenant_id: string, human_ref: string) => Promise<boolean>
  readonly clock: () => number
}

/** Checks the caller's role against the access table: 401 without a credential, 403 when the role may not make the call. */
export function assertRole(caller: Caller, operation_id: OperationId): void {
  const row = ACCESS[operation_id]
  if (caller.role === 'local' || row.public === true) return
  if (caller.role === 'public') throw new AuthorityError('credential_required')
  const reach = row[caller.role]
  if (reach === undefined) throw roleRefusal(row, caller)
  if (reach === 'deployment' && caller.tenant_id !== DEFAULT_TENANT)
    throw new AuthorityError(
      'role_not_allowed',
      `This call affects the whole deployment. Use a credential of the tenant "${DEFAULT_TENANT}".`,
    )
}

/** Returns the operations that the caller's role may call. */
export function allowedOperations(caller: Caller): OperationId[] {
  return (Object.keys(ACCESS) as OperationId[]).filter((id) => mayCall(caller, ACCESS[id])) // the keys of the table
}

function mayCall(caller: Caller, row: Access): boolean {
  if (row.public === true) return true
  if (caller.role === 'public') return false
  // In open mode no caller is the safety desk: a program that a coercer runs must learn nothing.
  if (caller.role === 'local')
    return Object.keys(ROLE_TITLES).some((role) => role !== 'safety' && role in row)
  const reach = row[caller.role]
  return reach !== undefined && (reach !== 'deployment' || caller.tenant_id === DEFAULT_TENANT)
}

/**
 * What an agent may still call when its token isn't live: calls whose decision is kept as evidence, calls that end an
 * action already begun, and reading or revoking its own token.
 */
const OPEN_TO_DEAD_TOKENS: readonly OperationId[] = [
  'authorize',
  'recordAction',
  'evaluateAccess',
  'completeRecord',
  'cancelRecord',
  'getToken',
  'revokeOauthToken',
]

/** Checks that every subject of a call is within the caller's reach. A subject outside it is refused as if it did not exist. */
export async function authorizeCaller(
  caller: Caller,
  operation_id: OperationId,
  input: ValidatedInput,
  presented: ForwardedToken | undefined,
  options: AuthorizeCallerOptions,
): Promise<void> {
  assertRole(caller, operation_id)
  if (caller.role === 'local' || caller.role === 'public') return
  if (caller.role === 'agent' && !OPEN_TO_DEAD_TOKENS.includes(operation_id))
    await assertLiveToken(caller, options)
  const row = ACCESS[operation_id]
  const reach = row[caller.role]
  if (row.about === undefined || reach === undefined) return
  const { kind } = row.about
  for (const id of subjectsIn(row.about, input))
    if (!(await reaches(caller, reach, row, { kind, id, presented }, options)))
      throw new AuthorityError(UNKNOWN[kind])
}

export async function assertLiveToken(
  { jti }: AgentCaller,
  { reader, clock }: Pick<AuthorizeCallerOptions, 'reader' | 'clock'>,
): Promise<void> {
  const chain = await reader.standing.chain(jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  assertLive(chain, clock())
}

interface CalledSubject {
  readonly kind: Subject['kind']
  readonly id: string
  readonly presented: ForwardedToken | undefined
}

async function reaches(
  caller: KnownCaller,
  reach: Reach,
  row: Access,
  { kind, id, presented }: CalledSubject,
  { reader, isReviewer }: AuthorizeCallerOptions,
): Promise<boolean> {
  if (reach === 'any' || kind === 'agent') return true // an agent name always means the one in the caller's tenant
  if (reach === 'presented') return assertPresented(caller, id, presented)
  if (kind === 'token' && reach === 'own' && caller.role === 'agent') return assertOwnToken(caller, id)
  if (kind === 'human' && caller.role === 'human' && caller.human_refs.includes(id)) return true
  const ownership = await ownershipOf(kind, id, caller, reader)
  if (ownership === undefined || ownership.tenant_id !== caller.tenant_id) return false
  if (await isWithin(reach, caller, ownership, reader)) return true
  if (row.reviewers !== true || caller.role !== 'human') return false
  return isReviewer(caller.tenant_id, caller.human_ref)
}

async function isWithin(
  reach: Reach,
  caller: KnownCaller,
  { jti, human_ref, provenance_ref, approvers, is_watched }: Ownership,
  reader: ReadStore,
): Promise<boolean> {
  switch (reach) {
    case 'tenant':
      return true
    case 'own':
      return caller.role === 'human'
        ? [human_ref, ...approvers].some((ref) => caller.human_refs.includes(ref))
        : caller.role === 'agent' && caller.jti === jti
    case 'opened':
      return caller.role === 'agent' && !is_watched && (await isOrRenews(caller.jti, jti, reader))
    case 'below':
      return caller.role === 'agent' && (await chainHolds(jti, caller.jti, reader))
    case 'workflow':
      return caller.role === 'agent' && caller.provenance_ref === provenance_ref
    case 'audience':
      return 'audience' in caller && (await isMeantFor(jti, caller.audience, reader))
    default:
      return false
  }
}

async function chainHolds(jti: string, ancestor: string, reader: ReadStore): Promise<boolean> {
  if (jti === ancestor) return true
  const chain = await reader.standing.chain(jti)
  return chain?.some(({ token }) => token.jti === ancestor) ?? false
}

/** Whether a token is another one, or renews it: both hold the same authority, and the old one may have expired. */
async function isOrRenews(jti: string, other: string, reader: ReadStore): Promise<boolean> {
  if (jti === other) return true
  const chain = await reader.standing.chain(jti)
  return chain !== undefined && renewalViews(chain).some(([{ token }]) => token.jti === other)
}

async function isMeantFor(jti: string, audience: string | undefined, reader: ReadStore): Promise<boolean> {
  const token = await reader.standing.token(jti)
  return audience !== undefined && token?.claims.aud === audience
}

/** Looks nothing up, because it must not show whether another token exists. */
function assertOwnToken(caller: AgentCaller, jti: string): true {
  if (jti === caller.jti) return true
  throw new AuthorityError(
    'not_yours',
    'An agent acts with its own token. Set vat_jti to the jti of the token in the Authorization header.',
  )
}

function assertPresented(caller: KnownCaller, jti: string, presented: ForwardedToken | undefined): true {
  if (presented === undefined)
    throw new AuthorityError(
      'not_yours',
      'Send the token that the agent presented to you in the header Deputy-Token.',
    )
  if (presented.jti !== jti)
    throw new AuthorityError('not_yours', 'vat_jti must be the jti of the token in the header Deputy-Token.')
  if (!('audience' in caller) || caller.audience === undefined || presented.audience !== caller.audience)
    throw new AuthorityError(
      'not_yours',
      'The token in the header Deputy-Token was issued for a different audience than yours.',
    )
  // The audience alone proves nothing: every tenant can issue tokens for any audience.
  if (presented.tenant_id !== caller.tenant_id)
    throw new AuthorityError('not_yours', 'The token in the header Deputy-Token belongs to another tenant.')
  return true
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
  verification: 'verification_unknown',
  vouch: 'vouch_unknown',
  channel: 'channel_unknown',
  webhook: 'webhook_unknown',
}

function roleRefusal(row: Access, { role }: KnownCaller): AuthorityError {
  const roles = Object.keys(row).filter((name) => name in ROLE_TITLES)
  const titles = roles.map((name) => ROLE_TITLES[name as keyof typeof ROLE_TITLES]) // filtered by the line above
  return new AuthorityError(
    'role_not_allowed',
    `This call requires the credential of ${titles.join(' or ')}. Yours belongs to ${ROLE_TITLES[role]}.`,
    { role, roles },
  )
}

const ROLE_TITLES = {
  operator: 'an operator',
  developer: 'a developer',
  human: 'a person who has signed in',
  agent: 'an agent with its own token',
  resource_server: 'a resource server',
  auditor: 'an auditor',
  safety: 'the safety desk',
} as const

/** Returns the ids that the access table points at, or none if an optional member is absent. */
export function subjectsIn({ at, also = [] }: Subject, input: ValidatedInput): string[] {
  return [...textsAt(at, input), ...also.flatMap((place) => textsAt(place, input)).filter(isTokenId)]
}

function textsAt(place: string, input: ValidatedInput): string[] {
  return place
    .split('/')
    .slice(1)
    .reduce<unknown[]>((found, step) => found.flatMap((value) => valuesAt(value, step)), [input])
    .filter((value) => typeof value === 'string')
}

function valuesAt(value: unknown, step: string): unknown[] {
  if (step === '*') return Array.isArray(value) ? value : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  return [(value as Readonly<Record<string, unknown>>)[step]] // an object may have members of any type
}
