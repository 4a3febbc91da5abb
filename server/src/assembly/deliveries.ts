import { SET_TYP } from '@deputize/protocol'
import type { Clerk, ExecuteBatch } from '../clerk/clerk.ts'
import type { Config } from '../config.ts'
import type { DeliveryDesk } from '../events/delivery-desk.ts'
import { EventNumbers } from '../events/event-numbers.ts'
import { pushSet } from '../events/signals/push-set.ts'
import { callOf } from '../events/thread/delivery-host.ts'
import { DeliveryThread, localHost, threadHost } from '../events/thread/delivery-thread.ts'
import { sendTestEvent } from '../events/webhooks/webhook-kind.ts'
import { signedStatement } from '../operations/signed-statement.ts'
import { outboundFault } from '../outbound/outbound.ts'
import type { Parts } from './parts.ts'

/** Creates everything that sends events. */
export function deliveryDesk(
  { access, outbound_allow: allowlist }: Config,
  { deployment, clock, logger, onTrouble, onAway = () => {} }: Parts,
  { submit, source }: { submit: Clerk['submit']; source: () => string },
): DeliveryDesk {
  const { reader, keys, deliveries: store, elsewhere: stores } = deployment
  const { restores } = keys
  const call = callOf(allowlist)
  const thread = new DeliveryThread({
    connect: (onEnd) =>
      stores === undefined
        ? localHost({
            reader,
            numbers: new EventNumbers(restores),
            deliveries: store,
            clock,
            access,
            allowlist,
            source,
            is_behind_callers: false,
          })
        : threadHost({ stores, allowlist: allowlist.text, access, source: source(), restores }, clock, onEnd),
    registry: reader.registry,
    sign: (claims) => signedStatement(SET_TYP, 'statements', claims, { keys, issuer: source(), clock }),
    async onDisabled({ endpoint_id, tenant_id, kind, reason }) {
      const entry = { endpoint_id, tenant_id, entry_kind: kind, cause: reason }
      await submit({ kind: 'endpoint_disabled', ...entry })
      logger.warn(
        { endpoint_id, tenant_id, kind, reason },
        'endpoint disabled: events are no longer sent to it',
      )
    },
    onRefused: (about, why) => logger.warn(about, `signal given up: ${why}`),
    onAway,
    onTrouble,
  })
  return {
    store,
    thread,
    changed: () => thread.changed(),
    targetFault: (url) => outboundFault(url, { allowlist }),
    pushOnce: (push, set) => pushSet(push, set, call, { now_ms: clock() }),
    sendTest: (entry) => sendTestEvent(entry, call, clock()),
  }
}

/** Wakes the readers of the log once a batch is durable. */
export function waking(execute: ExecuteBatch, wake: () => void): ExecuteBatch {
  return async (commands, lane) => {
    const result = await execute(commands, lane)
    if (result.wrote) wake()
    return result
  }
}
