import { AuthorityError } from '@deputize/protocol'
import type { ExecuteBatch } from '../clerk.ts'
import type { Command, Reply } from '../command.ts'
import { crossingCommands, readCrossedResult } from '../crossing.ts'
import type { BatchResult } from '../run-batch.ts'
import { isOwn, weightOf } from '../weight.ts'
import {
  type ClerkAddress,
  type ClerkConnection,
  connectToClerk,
  UnansweredBatch,
} from './clerk-connection.ts'

/** How long this node writes for itself after the lease holder failed. */
const AVOIDED_MS = 2_000

export interface ClerkRouteOptions {
  readonly key: Uint8Array
  /** Writes with this node's own thread. */
  readonly execute: ExecuteBatch
  readonly logTime: () => number
  /** Called when the other node fails. This node then writes for itself. */
  readonly onTrouble: (cause: unknown) => void
}

/**
 * Decides where this node's batches are judged and written: by the node that holds the lease, or here. Both are always
 * correct, because every batch of every node advances the same row. A single writer is only faster than several that
 * take turns.
 */
export class ClerkRoute {
  readonly #options: ClerkRouteOptions
  #connection: ClerkConnection | undefined
  #avoided: { readonly holder: string; readonly until_ms: number } | undefined

  constructor(options: ClerkRouteOptions) {
    this.#options = options
  }

  /** Sends batches to this node from now on. Undefined: this node writes for itself. */
  follow(address: ClerkAddress | undefined): void {
    const current = this.#connection
    if (current !== undefined && current.holder === address?.holder && !current.hasEnded()) return
    current?.leave()
    this.#connection = undefined
    if (address === undefined || this.#isAvoided(address.holder)) return
    this.#connection = connectToClerk(address, this.#options.key, (cause) => {
      if (cause !== undefined) this.#avoid(address.holder, cause)
    })
  }

  /** Whether batches go to another node. */
  isForwarding(): boolean {
    return this.#connection?.isReady() === true
  }

  /** The stop lane never depends on another node. */
  readonly execute: ExecuteBatch = async (commands, lane) => {
    const answer = lane === 'stop' || commands.some(isOwn) ? undefined : this.#forward(commands)
    if (answer === undefined) return this.#options.execute(commands, lane)
    const holder = this.#connection?.holder ?? ''
    try {
      return { ...readCrossedResult(await answer, commands), is_forwarded: true }
    } catch (error) {
      if (!(error instanceof UnansweredBatch)) throw error
      this.#avoid(holder, error)
      return this.#repeat(commands)
    }
  }

  close(): void {
    this.follow(undefined)
  }

  #forward(commands: readonly Command[]): Promise<string> | undefined {
    if (!this.isForwarding()) return undefined
    return this.#connection?.send({
      lane: undefined,
      weight: commands.reduce((sum, command) => sum + weightOf(command), 0),
      now_ms: this.#options.logTime(),
      commands: crossingCommands(commands),
    })
  }

  /**
   * Writes repeatable commands here: if the other node has committed them, or commits them later, they count once.
   * Callers of the others are told that the outcome is unknown, as they are when the database goes away.
   */
  async #repeat(commands: readonly Command[]): Promise<BatchResult> {
    const repeatable = commands.filter(isRepeatable)
    const { replies, wrote } =
      repeatable.length === 0 ? { replies: [], wrote: false } : await this.#options.execute(repeatable)
    const rest = [...replies]
    return {
      replies: commands.map((command) => (isRepeatable(command) && rest.shift()) || unknownOutcome()),
      wrote,
    }
  }

  #avoid(holder: string, cause: unknown): void {
    if (this.#isAvoided(holder)) return
    this.#avoided = { holder, until_ms: performance.now() + AVOIDED_MS }
    if (this.#connection?.holder === holder) this.follow(undefined)
    this.#options.onTrouble(cause)
  }

  #isAvoided(holder: string): boolean {
    return this.#avoided?.holder === holder && performance.now() < this.#avoided.until_ms
  }
}

const REPEATABLE_KINDS: readonly Command['kind'][] = [
  'probe',
  'keep_checkpoint',
  'keep_scores',
  'sweep',
  'settle_sums',
]

/** Whether a command that was already carried out changes nothing if it is carried out again. */
function isRepeatable({ kind, replay }: Command): boolean {
  return replay !== undefined || REPEATABLE_KINDS.includes(kind)
}

function unknownOutcome(): Reply {
  const { code, message, members } = new AuthorityError('storage_unavailable')
  return { refusal: { code, detail: message, members } }
}
