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
 * Fetches the decision of a check and does all that follows from it. Returns the check as it stands then. Rejects with a
 * `ProviderFailure` while the provider does not answer; nothing is lost, because every later look begins here again.
 */
export async function refreshCheck(check: KnownCheck, context: Refreshing): Promise<KnownCheck> {
  if (check.document.fallen !== undefined) return revokeFallen(check, context)
  const { provider, external_id, memory } = check.document
  const opened = context.external.providers.find(provider)
  if (opened === undefined || !isFetched(opened)) return check
  return settleCheck(check, await opened.provider.fetchDecision(external_id, memory), context)
}

/** A provider that answers through the browser has nothing to fetch. */
function isFetched({ provider }: OpenedExternal): boolean {
  return provider.redeem === undefined
}

/** Stores what a decision changes. Of several nodes that fetched the same one, one does. */
export async function settleCheck(
  check: KnownCheck,
  decision: ExternalDecision,
  context: Refreshing,
): Promise<KnownCheck> {
  const document = afterDecision(check.document, decision, context.clock())
  if (document === check.document) return check
  // A crash after this line leaves a check that has fallen and is not done: no token is issued on it any more, and the
  // next look, on any node, revokes those that exist.
  const changed = await changeCheck(check, document, context)
  const now = changed ?? (await findCheck(check.id, context)) ?? check
  return now.document.fallen === undefined ? now : revokeFallen(now, context)
}

/** Whether the provider may still say something that matters: until a final word, and while tokens may stand on a pass. */
export function isWatched({ document }: KnownCheck, now_ms: number, most_ms: number): boolean {
  if (document.fallen !== undefined) return !document.fallen.is_done
  const isYoung = now_ms - Date.parse(document.begun_at) < most_ms
  return isYoung && (isUsableCheck(document) || !isFinal(document.status))
}
