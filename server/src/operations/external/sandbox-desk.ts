/** The provider's side of the sandbox: its checks, which the person decides, and its signed callbacks. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import type { EphemeralEntry } from '../../store/ephemeral.ts'
import {
  SANDBOX_PATH,
  SANDBOX_SIGNATURE,
  type SandboxStatus,
  sandboxSecrets,
  sandboxSignature,
} from '../../verification/external/sandbox.ts'
import type { OperationContext } from '../operation-context.ts'

/** The sandbox's API and pages are below this path. */
export const SANDBOX_ROUTE: string = SANDBOX_PATH

export interface SandboxCheck {
  readonly status: SandboxStatus
  readonly return_url: string
  readonly callback_url: string
}

export interface NewSandboxCheck extends Omit<SandboxCheck, 'status'> {
  readonly session_id: string
  readonly attempt: number
}

type Sandboxing = Pick<OperationContext, 'ephemeral' | 'clock' | 'external'>

const KEPT_MS = 30 * 24 * 3600 * 1000
const CHECK_ID = /^sbx_[0-9a-f]{64}$/

/** Refuses a call to the sandbox's API without its key, and any call to a sandbox that is not configured. */
export function assertSandboxKey(name: string, authorization: string | undefined, context: Sandboxing): void {
  assertSandbox(name, context)
  const expected = digestOf(`Bearer ${secretsOf(name, context).api}`)
  if (!timingSafeEqual(expected, digestOf(authorization ?? ''))) throw new AuthorityError('callback_refused')
}

export function assertSandbox(name: string, { external }: Sandboxing): void {
  if (external.providers.find(name)?.kind !== 'sandbox') throw new AuthorityError('not_found')
}

/** Creates a check and returns its ID. The same session and attempt always get the same ID, which can't be guessed. */
export async function createSandboxCheck(
  name: string,
  { session_id, attempt, return_url, callback_url }: NewSandboxCheck,
  context: Sandboxing,
): Promise<string> {
  const { derivedSecret } = context.external.parts
  const id = `sbx_${derivedSecret(`sandbox check ${name} ${session_id} ${attempt}`).slice('sha256:'.length)}`
  await context.ephemeral.add(
    'sandbox_check',
    entryOf(id, { status: 'waiting', return_url, callback_url }, context),
  )
  return id
}

export async function findSandboxCheck(
  id: string,
  { ephemeral }: Pick<Sandboxing, 'ephemeral'>,
): Promise<SandboxCheck> {
  const entry = CHECK_ID.test(id) ? await ephemeral.get('sandbox_check', keyOf(id)) : undefined
  if (entry === undefined) throw new AuthorityError('not_found')
  return JSON.parse(entry.value) // only `entryOf` writes such entries
}

/** Stores the person's decision and sends the callback once. If it doesn't arrive, the decision is polled. */
export async function decideSandboxCheck(
  name: string,
  id: string,
  status: SandboxStatus,
  context: Sandboxing,
): Promise<SandboxCheck> {
  const check = { ...(await findSandboxCheck(id, context)), status }
  await context.ephemeral.replace('sandbox_check', entryOf(id, check, context))
  await sendCallback(name, id, check, context)
  return check
}

export async function deleteSandboxCheck(id: string, { ephemeral }: Sandboxing): Promise<void> {
  await ephemeral.take('sandbox_check', keyOf(id))
}

async function sendCallback(
  name: string,
  id: string,
  { status, callback_url }: SandboxCheck,
  context: Sandboxing,
): Promise<void> {
  const body = JSON.stringify({ event_id: randomUUID(), id, type: `check.${status}` })
  const signature = sandboxSignature(secretsOf(name, context).callbacks, body, context.clock())
  const headers = { 'content-type': 'application/json', [SANDBOX_SIGNATURE]: signature }
  await context.external.parts.call(callback_url, { method: 'POST', headers, body }).catch(ignoreLostCallback)
}

function ignoreLostCallback(): void {}

function secretsOf(name: string, { external }: Sandboxing) {
  return sandboxSecrets({ name, derivedSecret: external.parts.derivedSecret })
}

function entryOf(id: string, check: SandboxCheck, { clock }: Sandboxing): EphemeralEntry {
  return {
    key: keyOf(id),
    value: JSON.stringify(check),
    owner: undefined,
    expires_at_ms: clock() + KEPT_MS,
  }
}

/** Returns the key of an entry. Anyone who knows the ID can decide the check, so the store holds only its digest. */
function keyOf(id: string): string {
  return digestOf(id).toString('hex')
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
