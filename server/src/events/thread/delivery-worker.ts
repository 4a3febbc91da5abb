/** The delivery thread. It has its own connections to the store, and runs when callers leave time for it. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { readAllowlist } from '../../outbound/allowlist.ts'
import { openElsewhere } from '../../store/open-elsewhere.ts'
import { EventNumbers } from '../event-numbers.ts'
import { DeliveryHost } from './delivery-host.ts'
import type { DeliveryThreadData } from './delivery-thread.ts'
import type { FromHost } from './messages.ts'

/** The thread gets about a tenth of a busy processor, and all of an idle one. */
const NICE = 10

/** Lowers the priority of this thread alone, which only Linux can do. False if it couldn't be lowered. */
function goBehindCallers(): boolean {
  try {
    const thread_id = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread_id, NICE)
    return true
  } catch {
    return false
  }
}

if (parentPort !== null) {
  const { stores, allowlist, access, source, restores, ahead }: DeliveryThreadData = workerData
  const port = parentPort
  const { reader, deliveries, close } = await openElsewhere(stores, (cause) => {
    const message: FromHost['tells'] = { kind: 'away', cause: String(cause) }
    port.postMessage({ tell: message })
  })
  new DeliveryHost(port, {
    reader,
    numbers: new EventNumbers(restores),
    deliveries,
    // The HTTP thread reports how far the service's time is ahead of the machine's clock.
    clock: () => Date.now() + (ahead[0] ?? 0),
    access,
    allowlist: readAllowlist(allowlist).allowlist,
    source: () => source,
    is_behind_callers: goBehindCallers(),
    closeStores: close,
  })
}
