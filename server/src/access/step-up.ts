import { hash, randomBytes } from 'node:crypto'
import {
  ACCESS,
  AuthorityError,
  canonicalJson,
  type OperationId,
  STEP_UP_REASONS,
  type StepUpReason,
} from '@deputize/protocol'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryReader } from '../store/port/registry.ts'
import type { ValidatedInput } from './authorize-caller.ts'
import type { Caller, HumanCaller } from './caller.ts'
import { usablePasskeys } from './passkey-document.ts'
import type { Tenants } from './tenants.ts'

/** How long a confirmation is valid. */
export const GRANT_MS = 5 * 60_000

/** The call that a person confirms, with everything it sends. */
export interface ConfirmedCall {
  readonly operation: string
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** Returns the members that identify a call. Absent members equal empty ones, so a call always has the same digest. */
export function confirmedCallParts({
  operation,
  params,
  query,
  body,
}: ConfirmedCall): Readonly<Record<string, unknown>> {
  return { operation, params: unlessEmpty(params), query: unlessEmpty(query), body: unlessEmpty(body) }
}

export function confirmedCallDigest(call: ConfirmedCall): string {
  return hash('sha256', canonicalJson(confirmedCallParts(call)), 'base64url')
}

function unlessEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.keys(value).length === 0 ? null : value
}

/** Calls that people have confirmed with a passkey. Each grant is valid for one call, once, in one session. */
export interface StepUpGrants {
  create(
    person: Pick<HumanCaller, 'human_ref' | 'session_key'>,
    call_digest: string,
  ): Promise<{ readonly grant: string; readonly expires_at_ms: number }>
  /** Returns true once, for the grant's call and session. An attempt with another call or session also uses it up. */
  use(grant: string, session_key: string, call_digest: string): Promise<boolean>
}

interface StoredGrant {
  readonly session_key: string
  /** The digest of the confirmed call. */
  readonly deed_digest: string
}

export function stepUpGrants(ephemeral: EphemeralStore, clock: () => number): StepUpGrants {
  return {
    async create({ human_ref, session_key }, call_digest) {
      const grant = randomBytes(32).toString('base64url')
      const expires_at_ms = clock() + GRANT_MS
      const kept: StoredGrant = { session_key, deed_digest: call_digest }
      await ephemeral.add('step_up', {
        key: grantKey(grant),
        value: JSON.stringify(kept),
        owner: human_ref,
        expires_at_ms,
      })
      return { grant, expires_at_ms }
    },
    async use(grant, session_key, call_digest) {
      const entry = await ephemeral.take('step_up', grantKey(grant))
      if (entry === undefined) return false
      const kept = JSON.parse(entry.value) as StoredGrant // only `create` writes such entries
      return kept.session_key === session_key && kept.deed_digest === call_digest
    },
  }
}

function grantKey(grant: string): string {
  return hash('sha256', grant, 'base64url')
}

export interface ConfirmingOptions {
  readonly tenants: Tenants
  readonly registry: RegistryReader
  readonly grants: StepUpGrants
}

/** Requires a grant for calls that the tenant wants confirmed. A grant that isn't needed is used up as well. */
export function confirming({ tenants, registry, grants }: ConfirmingOptions) {
  return async (
    caller: Caller,
    operation: OperationId,
    input: ValidatedInput,
    grant: string | undefined,
  ): Promise<boolean> => {
    const group = ACCESS[operation].step_up
    if (group === undefined || caller.role !== 'human') return false
    if (grant !== undefined) {
      if (await grants.use(grant, caller.session_key, confirmedCallDigest({ operation, ...input })))
        return true
      throw stepUpRequired(operation, 'grant')
    }
    const tenant = await tenants.find(caller.tenant_id)
    if (tenant?.step_up.includes(group) !== true) return false
    const [passkey] = await usablePasskeys(registry, caller)
    if (passkey !== undefined) throw stepUpRequired(operation, 'no_grant')
    if (group === 'passkeys') return false // otherwise a first passkey could never be registered
    throw stepUpRequired(operation, 'no_passkey')
  }
}

export function stepUpRequired(operation: string, reason: StepUpReason): AuthorityError {
  return new AuthorityError('step_up_required', STEP_UP_REASONS[reason], { operation, reason })
}
