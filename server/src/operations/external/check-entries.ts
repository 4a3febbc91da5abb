/**
 * Checks at external providers, in the registry. Each session at a provider has one entry from its creation on,
 * encrypted for the person. Callbacks, polls and erasures look it up.
 */
import { AuthorityError } from '@deputize/protocol'
import type { RegisterCommand } from '../../clerk/command.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { RegistryEntry } from '../../store/port/registry.ts'
import { checkId } from '../../verification/external/external-providers.ts'
import type { ExternalLevel } from '../../verification/external/port.ts'
import {
  type ExternalDecision,
  type ExternalStatus,
  isDowngrade,
} from '../../verification/external/verdict.ts'
import type { OperationContext } from '../operation-context.ts'
import { type VerificationDocument, verificationIdOf } from '../views/verification-view.ts'

export interface CheckDocument extends ExternalDecision {
  readonly provider: string
  readonly external_id: string
  readonly session_id: string
  /** Number of the session opening that created it. */
  readonly opening: number
  /** The level that a pass gives, as configured when the check began. */
  readonly level: ExternalLevel
  readonly begun_at: string
  /** Data that the adapter needs again later. */
  readonly memory?: string | undefined
  /** Set if the provider took back the pass. `is_done` once every token based on it is revoked. */
  readonly fallen?: FallenCheck | undefined
}

export interface FallenCheck {
  readonly at: string
  readonly status: ExternalStatus
  readonly is_done: boolean
}

/** A check and its registry entry. */
export interface KnownCheck {
  readonly id: string
  readonly tenant_id: string
  readonly human_ref: string
  /** The version that was read. A change names it, so only one of several nodes makes it. */
  readonly log_index: number
  readonly document: CheckDocument
}

type Registering = Pick<OperationContext, 'clerk' | 'reader'>

/** Stores a new check. Storing the same check again, after a repeated call, changes nothing. */
export async function addCheck(
  person: { readonly tenant_id: string; readonly human_ref: string },
  document: CheckDocument,
  context: Registering,
): Promise<KnownCheck> {
  const id = checkId(document.provider, document.external_id)
  const known = await findCheck(id, context)
  if (known !== undefined) return known
  const { tenant_id, human_ref } = person
  const { outcome } = await context.clerk.submit(
    changeCommand({ id, tenant_id, human_ref, log_index: 'absent' }, document),
  )
  const { log_index } = outcome as RegisterOutcome // the outcome type of this command's judge
  if (log_index === undefined) throw new Error('a new check was not logged')
  return { id, tenant_id, human_ref, log_index, document }
}

export async function findCheck(
  id: string,
  { reader }: Pick<Registering, 'reader'>,
): Promise<KnownCheck | undefined> {
  const entry = await reader.registry.entry('external_check', id)
  return entry === undefined ? undefined : checkIn(entry)
}

/** Reads a check from its entry. Undefined if the person was erased or the retention is over. */
export function checkIn({
  id,
  tenant_id,
  owner,
  document,
  log_index,
}: RegistryEntry): KnownCheck | undefined {
  if (document === undefined || owner === undefined) return undefined
  return { id, tenant_id, human_ref: owner, log_index, document: JSON.parse(document) } // only this file writes such entries
}

/**
 * Replaces exactly the version that was read. Undefined if another node has changed it since. If the person had
 * confirmed a pass that is taken back, the leaf says so, and what the trust graph bases on the person ends. A check
 * that was never confirmed didn't count, so it ends nothing.
 */
export async function changeCheck(
  check: KnownCheck,
  document: CheckDocument,
  context: Registering,
): Promise<KnownCheck | undefined> {
  const isFall = check.document.fallen === undefined && document.fallen !== undefined
  const withdraws = isFall && (await isConfirmed(check, context)) ? { withdraws: document.level } : {}
  try {
    const { outcome } = await context.clerk.submit({ ...changeCommand(check, document), ...withdraws })
    const { log_index = check.log_index } = outcome as RegisterOutcome // the outcome type of this command's judge
    return { ...check, log_index, document }
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'registry_conflict') return undefined
    throw error
  }
}

/**
 * Whether the person finished the check's session with this check. A verification that is stored after this was read
 * gets no token: the clerk issues none on a fallen check.
 */
async function isConfirmed(
  { id, document: { session_id, opening } }: KnownCheck,
  { reader }: Pick<Registering, 'reader'>,
): Promise<boolean> {
  const entry = await reader.registry.entry('verification', verificationIdOf(session_id, opening))
  if (entry === undefined) return false
  if (entry.document === undefined) return true // the retention is over, and it may have passed
  const { decision, external }: VerificationDocument = JSON.parse(entry.document)
  return decision === 'pass' && external?.check_id === id
}

function changeCommand(
  {
    id,
    tenant_id,
    human_ref,
    log_index,
  }: Pick<KnownCheck, 'id' | 'tenant_id' | 'human_ref'> & {
    readonly log_index: number | 'absent'
  },
  document: CheckDocument,
): RegisterCommand {
  return {
    kind: 'register',
    entry_kind: 'external_check',
    id,
    tenant_id,
    owner: human_ref,
    document: JSON.stringify(document),
    expects: log_index,
  }
}

export function removalOfCheck({ id, tenant_id, human_ref, log_index }: KnownCheck): RegisterCommand {
  return {
    kind: 'register',
    entry_kind: 'external_check',
    id,
    tenant_id,
    owner: human_ref,
    document: undefined,
    expects: log_index,
  }
}

/** Returns the check after a decision was fetched, or the same object if nothing changed. */
export function afterDecision(
  document: CheckDocument,
  decision: ExternalDecision,
  now_ms: number,
): CheckDocument {
  if (document.fallen !== undefined) return document
  if (isDowngrade(document.status, decision.status))
    return {
      ...document,
      ...decision,
      fallen: { at: isoInstant(now_ms), status: decision.status, is_done: false },
    }
  // A stale replica at the provider never takes a pass back.
  if (document.status === 'pass' && decision.status !== 'pass') return document
  return document.status === decision.status ? document : { ...document, ...decision }
}

/** Whether a token may be based on the check. */
export function isUsableCheck({ status, fallen }: CheckDocument): boolean {
  return status === 'pass' && fallen === undefined
}
