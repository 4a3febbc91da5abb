import type { ExecuteBatch } from '../clerk/clerk.ts'
import { openClerkListener } from '../clerk/relay/clerk-listener.ts'
import { ClerkRoute } from '../clerk/relay/clerk-route.ts'
import { relayKey } from '../clerk/relay/relay-key.ts'
import type { WritingThread } from '../clerk/thread.ts'
import type { ServiceClock } from '../clock.ts'
import { ExpectedFailure } from '../expected-failure.ts'
import type { DatabaseConfig } from '../settings/database.ts'
import { ClerkLease, LOOK_EVERY_MS } from '../store/postgres/clerk-lease.ts'
import { knownSchema } from '../store/postgres/migration-files.ts'
import { VERSION } from '../version.ts'
import type { DeploymentListener } from './deployment.ts'

/** The address that the operator set for other nodes can't be listened on. */
class ClerkAddressRefused extends ExpectedFailure {
  override readonly name = 'ClerkAddressRefused'
}

/** Nodes send batches only to nodes that know the same commands. */
const BUILD = `${VERSION} s${knownSchema()}`

interface OneClerkParts {
  readonly writer_id: string
  readonly vault_key: Uint8Array
  readonly thread: WritingThread
  readonly clock: ServiceClock
  readonly listener: DeploymentListener
}

interface OneClerk {
  readonly execute: ExecuteBatch
  /** Whether this node holds the lease. */
  isHolder(): boolean
  close(): Promise<void>
}

/**
 * Lets the node of a cluster that holds the lease write for all nodes. The others send it their batches. A node that
 * can't reach it, or has another version, writes for itself.
 */
export async function openOneClerk(
  { url, clerk_host, clerk_port }: DatabaseConfig,
  { writer_id, vault_key, thread, clock, listener }: OneClerkParts,
): Promise<OneClerk> {
  const key = relayKey(vault_key)
  const server = await openClerkListener({
    host: clerk_host,
    port: clerk_port,
    key,
    holder: writer_id,
    relay: thread.relay,
    logTime: clock.logTime,
  }).catch((cause) => {
    throw new ClerkAddressRefused(
      `Other nodes can't be let in at DEPUTY_CLERK_HOST=${clerk_host}, DEPUTY_CLERK_PORT=${clerk_port}: ${cause.message}.`,
    )
  })
  const lease = new ClerkLease(url, {
    holder: writer_id,
    host: clerk_host,
    port: server.port,
    version: BUILD,
  })
  const route = new ClerkRoute({
    key,
    execute: thread.execute,
    logTime: clock.logTime,
    onTrouble: (cause) =>
      listener.onTrouble(cause, 'the node that writes for all failed; this node writes for itself meanwhile'),
  })
  let isHolder = false
  let isClosing = false
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    try {
      const found = await lease.look()
      if (isClosing) return
      isHolder = found?.holder === writer_id
      route.follow(found === undefined || isHolder || found.version !== BUILD ? undefined : found)
    } catch {
      isHolder = false // the database is away, which every read and write reports
    }
  }

  let looking = look()
  await looking

  async function lookAgain(): Promise<void> {
    looking = look()
    await looking
    if (!isClosing) timer = setTimeout(() => void lookAgain(), LOOK_EVERY_MS)
  }

  timer = setTimeout(() => void lookAgain(), LOOK_EVERY_MS)
  return {
    execute: route.execute,
    isHolder: () => isHolder,
    async close() {
      isClosing = true
      clearTimeout(timer)
      await looking // it may still take the lease
      await lease.close()
      route.close()
      await server.close()
    },
  }
}
