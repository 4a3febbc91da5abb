import { AuthorityError, type Lane } from '@deputize/protocol'
import { type ManualClock, manualClock } from '@deputize/testing/manual-clock.ts'
import { type SeededDraw, seededDraw } from '@deputize/testing/seeded-draw.ts'
import type { Client } from 'pg'
import { type Clerk, openClerk } from '../../src/clerk/clerk.ts'
import type { Command } from '../../src/clerk/command.ts'
import { type BatchResult, runBatch } from '../../src/clerk/run-batch.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { isDatabaseUnavailable } from '../../src/store/postgres/availability.ts'
import { type PostgresOptions, postgresWriteStore } from '../../src/store/postgres/write/write-store.ts'
import { Network } from './network.ts'
import type { Submit } from './wishes.ts'

/** A node and its current process. */
interface ClusterNode {
  readonly name: string
  readonly clock: ManualClock
  /** Number of processes that it has had. */
  lives: number
  clerk: Clerk | undefined
  died: PromiseWithResolvers<never>
}

const away = () => new AuthorityError('storage_unavailable')

/**
 * Two nodes, each with the real clerk, batches and PostgreSQL writer, and the network between them and the database.
 */
export class SimulatedCluster {
  readonly network: Network
  readonly #options: Pick<PostgresOptions, 'url' | 'instance' | 'vault_key'>
  readonly #nodes: readonly ClusterNode[]
  #draw: SeededDraw = seededDraw(0)
  crashes = 0

  /** `number` distinguishes the clusters of a process. */
  constructor(
    number: number,
    options: Pick<PostgresOptions, 'url' | 'instance' | 'vault_key'>,
    control: Client,
  ) {
    this.#options = options
    this.network = new Network(control, () => this.#draw)
    this.#nodes = ['a', 'b'].map((name) => ({
      name: `sim-${number}-${name}`,
      clock: manualClock(),
      lives: 0,
      clerk: undefined,
      died: Promise.withResolvers(),
    }))
  }

  /** Sets the source of everything random from now on. */
  drawFrom(draw: SeededDraw): void {
    this.#draw = draw
  }

  now(): number {
    return this.#nodes[0]?.clock() ?? 0
  }

  async start(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => this.#start(node)))
  }

  /** Sends a command to one of the nodes. A node that has died doesn't answer. */
  readonly submit: Submit = async (command) => {
    await this.network.pause() // on its way to the node
    const node = this.#draw.pick(this.#nodes)
    if (node.clerk === undefined) throw away()
    return Promise.race([node.clerk.submit(command), node.died.promise])
  }

  /** Reads sums, moves the clock of a node, or ends its process and starts the next one. */
  disturb(): void {
    const node = this.#draw.pick(this.#nodes)
    if (this.#draw.chance(0.05)) void node.clerk?.submit({ kind: 'settle_sums' }).catch(() => {}) // as a read does
    if (this.#draw.chance(0.1)) node.clock.advance(this.#draw.between(-600_000, 600_000))
    if (!this.#draw.chance(0.006)) return
    this.crashes += 1
    node.clerk = undefined
    node.died.promise.catch(() => {}) // there may be no caller
    node.died.reject(away())
    node.died = Promise.withResolvers()
    void this.#start(node)
    this.network.cutOff(node.name, node.lives)
  }

  async #start(node: ClusterNode): Promise<void> {
    node.lives += 1
    const life = node.lives
    while (node.lives === life) {
      try {
        const writer_id = `${node.name}-${life}`
        const store = await postgresWriteStore({
          ...this.#options,
          clock: node.clock,
          writer_id,
          allow_unsafe: true,
          defers_sums: true,
        })
        if (node.lives === life) node.clerk = clerkOf(store)
        return
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error
      }
    }
  }
}

/** Begins a batch when the store has room, as the writing thread does. */
function clerkOf(store: WriteStore): Clerk {
  let turn: Promise<unknown> = Promise.resolve()
  const execute = async (commands: readonly Command[], lane?: Lane): Promise<BatchResult> => {
    const begun = turn.then(async () => {
      await store.room()
      return { answer: runBatch(store, commands, raise, lane) }
    })
    turn = begun.catch(() => {})
    return (await begun).answer
  }
  return openClerk(execute, { queue_limit: 1_000, batch_limit: 3, batches_in_flight: 3 })
}

function raise(cause: unknown): never {
  throw cause
}
