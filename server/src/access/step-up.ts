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
import type { RegistryReader } from '../store/port.ts'
import type { CallInput } from './authorize-caller.ts'
import type { Caller, HumanCaller } from './caller.ts'
import { usablePasskeys } from './passkey-document.ts'
import type { Tenants } from './tenants.ts'

/** How long a confirmed call may take to come. */
export const GRANT_MS = 5 * 60_000

/** What somebody confirms: one call, with everything that is sent. */
export interface Deed {
  readonly operation: string
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

/** The members of a deed, so that the same call always has the same text: what is empty says as little as what is absent. */
export function deedParts({ operation, params, query, body }: Deed): Readonly<Record<string, unknown>> {
  return { operation, params: unlessEmpty(params), query: unlessEmpty(query), body: unlessEmpty(body) }
}

export function deedDigest(deed: Deed): string {
  return hash('sha256', canonicalJson(deedParts(deed)), 'base64url')
}

function unlessEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.keys(value).length === 0 ? null : value
}

/** Calls that people have confirmed with a passkey. Each grant is good for one call, once, in one session. */
export interface StepUpGrants {
  create(
    person: Pick<HumanCaller, 'human_ref' | 'session_key'>,
    deed_digest: string,
  ): Promise<{ readonly grant: string; readonly expires_at_ms: number }>
  /** True once for the very deed and session of the grant. A grant that is tried for anything else is used up as well. */
  use(grant: string, session_key: string, deed_digest: string): Promise<boolean>
}

interface Kept {
  readonly session_key: string
  readonly deed_digest: string
}

export function stepUpGrants(ephemeral: EphemeralStore, clock: () => number): StepUpGrants {
  return {
    async create({ human_ref, session_key }, deed_digest) {
      const grant = randomBytes(32).toString('base64url')
      const expires_at_ms = clock() + GRANT_MS
      const kept: Kept = { session_key, deed_digest }
      await ephemeral.add('step_up', {
        key: keyOf(grant),
        value: JSON.stringify(kept),
        owner: human_ref,
        expires_at_ms,
      })
      return { grant, expires_at_ms }
    },
    async use(grant, session_key, deed_digest) {
      const entry = await ephemeral.take('step_up', keyOf(grant))
      if (entry === undefined) return false
      const kept = JSON.parse(entry.value) as Kept // only `create` writes such entries
      return kept.session_key === session_key && kept.deed_digest === deed_digest
    },
  }
}

function keyOf(grant: string): string {
  return hash('sha256', grant, 'base64url')
}

export interface ConfirmingOptions {
  readonly tenants: Tenants
  readonly registry: RegistryReader
  readonly grants: StepUpGrants
}

/** Asks people for the grant of a call that their tenant wants confirmed. A grant that is sent unasked counts as well. */
export function confirming({ tenants, registry, grants }: ConfirmingOptions) {
  return async (
    caller: Caller,
    operation: OperationId,
    input: CallInput,
    grant: string | undefined,
  ): Promise<boolean> => {
    const group = ACCESS[operation].step_up
    if (group === undefined || caller.role !== 'human') return false
    if (grant !== undefined) {
      if (await grants.use(grant, caller.session_key, deedDigest({ operation, ...input }))) return true
      throw stepUpRequired(operation, 'grant')
    }
    const tenant = await tenants.find(caller.tenant_id)
    if (tenant?.step_up.includes(group) !== true) return false
    const [passkey] = await usablePasskeys(registry, caller)
    if (passkey !== undefined) throw stepUpRequired(operation, 'no_grant')
    if (group === 'passkeys') return false // nobody could ever register the first one
    throw stepUpRequired(operation, 'no_passkey')
  }
}

export function stepUpRequired(operation: string, reason: StepUpReason): AuthorityError {
  return new AuthorityError('step_up_required', STEP_UP_REASONS[reason], { operation, reason })
}
