/**
 * Data that providers must delete. A redaction order is a registry entry that names no person. It is stored before the
 * person's data is destroyed, and removed once the provider has confirmed.
 */
import type { RegisterCommand } from '../../clerk/command.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { ProviderFailure } from '../../verification/external/port.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import { checkIn, type KnownCheck, removalOfCheck } from './check-entries.ts'
import { claimMark, dropMark, moveMark, pauseAfter } from './due-marks.ts'

interface RedactionOrder {
  readonly provider: string
  readonly external_id: string
}

type Redacting = Pick<OperationContext, 'clerk' | 'reader' | 'ephemeral' | 'clock' | 'external' | 'onNotice'>

const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 3_600_000

/**
 * Orders the redaction of everything that providers hold about a person, and returns the number of sessions. Call it
 * before the erasure, which destroys the IDs. A crash in between leaves orders for a person who requested erasure and
 * must request it again.
 */
export async function orderRedactions(
  human_ref: string,
  { clerk, reader }: Pick<Redacting, 'clerk' | 'reader'>,
): Promise<number> {
  const orders: RegisterCommand[] = []
  for await (const entry of eachEntry((page) =>
    reader.registry.list('external_check', { owner: human_ref }, page),
  )) {
    const check = checkIn(entry)
    if (check !== undefined) orders.push(redactionCommand(check))
  }
  if (orders.length > 0) await clerk.submit({ kind: 'many', items: orders })
  return orders.length
}

/** Orders the redaction of a check whose person was erased while it was being created, and removes the check. */
export async function abandonCheck(check: KnownCheck, { clerk }: Pick<Redacting, 'clerk'>): Promise<void> {
  await clerk.submit({ kind: 'many', items: [redactionCommand(check), removalOfCheck(check)] })
}

export function redactionCommand({ id, tenant_id, document }: KnownCheck): RegisterCommand {
  const { provider, external_id } = document
  return {
    kind: 'register',
    entry_kind: 'redaction',
    id,
    tenant_id,
    owner: undefined,
    document: JSON.stringify({ provider, external_id } satisfies RedactionOrder),
    expects: 'any',
  }
}

/** Carries out every due order once. */
export async function redactOnce(context: Redacting): Promise<void> {
  const { reader } = context
  for await (const entry of eachEntry((page) => reader.registry.list('redaction', {}, page)))
    await redactIfDue(entry, context)
}

async function redactIfDue(entry: KeptEntry, context: Redacting): Promise<void> {
  const key = `redact ${entry.id}`
  const mark = await claimMark(key, context)
  if (mark === undefined) return
  if (await isRedacted(entry, context)) {
    // A crash before this line repeats the redaction, which providers accept.
    await context.clerk.submit(removalOrder(entry))
    return dropMark(key, context)
  }
  const pause = pauseAfter(mark.attempts, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
  await moveMark(key, { attempts: mark.attempts + 1, next_ms: context.clock() + pause }, context)
}

/**
 * Carries out one order, and returns whether it is done. An order for a provider that is no longer configured waits
 * until it is again. A provider that can't redact is reported once.
 */
async function isRedacted({ document }: KeptEntry, context: Redacting): Promise<boolean> {
  const { provider, external_id } = JSON.parse(document) as RedactionOrder // only `redactionCommand` writes such entries
  const opened = context.external.providers.find(provider)
  if (opened === undefined) return false
  if (opened.provider.redact === undefined) {
    context.onNotice('a verification provider has no deletion API: delete the session there manually', {
      provider,
      external_id,
    })
    return true
  }
  try {
    await opened.provider.redact(external_id)
    return true
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    context.onNotice('a verification provider did not delete a session: the request will be repeated', {
      provider,
      reason: error.reason,
    })
    return false
  }
}

function removalOrder({ id, tenant_id, log_index }: KeptEntry): RegisterCommand {
  return {
    kind: 'register',
    entry_kind: 'redaction',
    id,
    tenant_id,
    owner: undefined,
    document: undefined,
    expects: log_index,
  }
}
