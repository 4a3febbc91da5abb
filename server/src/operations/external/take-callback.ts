import { createHash } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import { checkId } from '../../verification/external/external-providers.ts'
import type { CallbackHeaders } from '../../verification/external/port.ts'
import type { OperationContext } from '../operation-context.ts'

/** Providers repeat events for up to three days. */
const SEEN_MS = 3 * 24 * 3600 * 1000

/**
 * Handles a callback: verifies its signature and has the check that it names handled soon. Nothing else in it counts.
 * An event about an unknown check, or one that was seen before, is accepted and ignored.
 */
export async function takeCallback(
  name: string,
  body: Uint8Array,
  headers: CallbackHeaders,
  { external: { providers, wakeCheck }, ephemeral, clock }: OperationContext,
): Promise<void> {
  const opened = providers.find(name)
  if (opened === undefined) throw new AuthorityError('provider_unknown')
  const event = opened.provider.readCallback(body, headers)
  if (event === undefined) throw new AuthorityError('callback_refused')
  const key = createHash('sha256').update(`${name} ${event.event_id}`).digest('hex')
  const seen = { key, value: '{}', owner: undefined, expires_at_ms: clock() + SEEN_MS }
  // A crash after this line leaves a check for polling to find.
  if (await ephemeral.add('external_event', seen)) wakeCheck(checkId(name, event.external_id))
}
