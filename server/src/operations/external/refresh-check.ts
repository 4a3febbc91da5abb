import type { OpenedExternal } from '../../verification/external/external-providers.ts'
import { type ExternalDecision, isFinal } from '../../verification/external/verdict.ts'
import type { OperationContext } from '../operation-context.ts'
import { afterDecision, changeCheck, findCheck, isUsableCheck, type KnownCheck } from './check-entries.ts'
import { revokeFallen } from './revoke-fallen.ts'

export type Refreshing = Pick<
  OperationContext,
  'clerk' | 'reader' | 'ephemeral' | 'clock' | 'external' | 'onNotice'
>

/**
 * Fetches a check's decision and does everything that follows from it. Returns the resulting check. Rejects with a
 * `ProviderFailure` if the provider doesn't answer. Nothing is lost then, because every later attempt starts here
 * again.
 */
export async function refreshCheck(check: KnownCheck, context: Refreshing): Promise<KnownCheck> {
  if (check.document.fallen !== undefined) return revokeFallen(check, context)
  const { provider, external_id, memory } = check.document
  const opened = context.external.providers.find(provider)
  if (opened === undefined || !isFetched(opened)) return check
  return settleCheck(check, await opened.provider.fetchDecision(external_id, memory), context)
}

/** Whether decisions are fetched. A provider that answers through the browser has none to fetch. */
function isFetched({ provider }: OpenedExternal): boolean {
  return provider.redeem === undefined
}

/** Stores what a decision changes. If several nodes fetched the same one, only one stores it. */
export async function settleCheck(
  check: KnownCheck,
  decision: ExternalDecision,
  context: Refreshing,
): Promise<KnownCheck> {
  const document = afterDecision(check.document, decision, context.clock())
  if (document === check.document) return check
  // A crash after this line leaves a fallen check that isn't done: no more tokens are issued on it, and the next
  // attempt, on any node, revokes the existing ones.
  const changed = await changeCheck(check, document, context)
  const now = changed ?? (await findCheck(check.id, context)) ?? check
  return now.document.fallen === undefined ? now : revokeFallen(now, context)
}

/** Whether the provider's decision can still matter: until it is final, and while tokens may be based on a pass. */
export function isWatched({ document }: KnownCheck, now_ms: number, most_ms: number): boolean {
  if (document.fallen !== undefined) return !document.fallen.is_done
  const isYoung = now_ms - Date.parse(document.begun_at) < most_ms
  return isYoung && (isUsableCheck(document) || !isFinal(document.status))
}
