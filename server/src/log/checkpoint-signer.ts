import {
  type Checkpoint,
  checkpointText,
  type Frontier,
  type NoteKey,
  openCheckpoint,
  rootOf,
  type Sign,
  signatureLine,
  signedNote,
} from '@deputize/protocol'
import type { LogReader, StoredCheckpoint } from '../store/port/log-reader.ts'
import { type CheckpointFile, RolledBackError } from './checkpoint-file.ts'
import { PublishedCheckpoint } from './published-checkpoint.ts'
import { logTree } from './tree.ts'

/** Asks witnesses to cosign a checkpoint. Resolves to the lines to add to its note, in any order. Never rejects. */
export type Cosign = (checkpoint: Checkpoint & { readonly note: string }) => Promise<readonly string[]>

export interface CheckpointSignerOptions {
  readonly reader: LogReader
  readonly file: CheckpointFile
  readonly key: NoteKey
  readonly sign: Sign
  readonly clock: () => number
  /** The shortest time between two checkpoints; 0 signs only on request. */
  readonly interval_ms: number
  /**
   * Commits, and resolves to the head that the commit continued, which then can't be lost. Undefined if readers see only
   * what is durable. On a database with a synchronous standby, they may see a commit that the standby lacks.
   */
  readonly confirm?: (() => Promise<Frontier>) | undefined
  /** Stores a checkpoint. */
  readonly store: (checkpoint: StoredCheckpoint) => Promise<unknown>
  readonly cosign: Cosign | undefined
  /** How many cosignatures a checkpoint needs before it is published. */
  readonly quorum: number
  /** Called with the reason when no new checkpoint could be published. */
  onTrouble(cause: unknown): void
  /** Other nodes that sign the same log with the same key; undefined if this is the only process. */
  readonly peers?: Peers | undefined
}

/** Nodes that sign the same log share the work. They can't contradict each other: there is one log and one store. */
export interface Peers {
  /** Runs `work` unless another node is signing. */
  takeTurn(work: () => Promise<void>): Promise<void>
  /** Runs `work` as soon as no other node is signing. */
  awaitTurn(work: () => Promise<void>): Promise<void>
  /** Hints to the other nodes that a checkpoint was stored. The hint may get lost: nodes also look on their own. */
  notify(): void
  /** The store lacks entries that this node has signed. This node must stop signing. */
  onRolledBack(cause: RolledBackError): void
}

/** Signs checkpoints over the committed log. A checkpoint is in the checkpoint file before it is published. */
export interface CheckpointSigner {
  /** The newest published checkpoint; undefined until the first one has enough cosignatures. */
  published(): StoredCheckpoint | undefined
  /** The newest checkpoint once it covers `size` leaves, or undefined if that takes too long. */
  covering(size: number): Promise<StoredCheckpoint | undefined>
  /** Looks for a checkpoint of another node now instead of at the next interval. */
  look(): void
  /** Signs the rest of the committed log, then stops. */
  close(): Promise<void>
}

/** How often the same lack of cosignatures is reported. A round may run every second. */
const REMINDER_MS = 300_000

/** Too few witnesses cosigned, so the checkpoint was not published. */
class QuorumMissed extends Error {}

/** Timers are inexact. A node whose turn is this close to due takes it, instead of waiting another interval. */
const EARLY = 0.1

export async function openCheckpointSigner(options: CheckpointSignerOptions): Promise<CheckpointSigner> {
  const signer = new LogSigner(options, await options.reader.lastCheckpoint())
  await signer.start()
  return {
    published: () => signer.published(),
    covering: (size) => signer.covering(size),
    look: () => signer.look(),
    close: () => signer.close(),
  }
}

class LogSigner {
  readonly #options: CheckpointSignerOptions
  readonly #published: PublishedCheckpoint
  /** The newest checkpoint that this node signed or accepted. It may still lack cosignatures. */
  #signed: StoredCheckpoint | undefined
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** The lack of cosignatures that was reported last, until a checkpoint has enough. */
  #missed: { readonly message: string; readonly reported_ms: number } | undefined
  #isCosigning = false
  #isClosing = false
  #isRolledBack = false

  constructor(options: CheckpointSignerOptions, last: StoredCheckpoint | undefined) {
    this.#options = options
    this.#published = new PublishedCheckpoint(last)
    this.#signed = last
  }

  async start(): Promise<void> {
    const { interval_ms } = this.#options
    await this.#runOnce()
    // Witnesses get the published checkpoint at every start: they may have seen a larger log, which means a rollback.
    const published = this.published()
    if (published !== undefined) void this.#addCosignatures(published)
    if (interval_ms > 0) this.#timer = setInterval(() => this.#runOnce(), interval_ms)
  }

  published(): StoredCheckpoint | undefined {
    return this.#published.current
  }

  async covering(size: number): Promise<StoredCheckpoint | undefined> {
    const known = this.#published.at(size)
    if (known !== undefined) return known
    const { clock, interval_ms } = this.#options
    const covering = this.#published.covering(size)
    // If the last checkpoint is old enough, sign now instead of at the next interval.
    if (clock() - (this.#signed?.signed_at_ms ?? 0) >= interval_ms) void this.#runOnce()
    return covering
  }

  look(): void {
    if (!this.#isClosing) void this.#runOnce()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    await this.#running
    await this.#runOnce() // covers everything that was acknowledged
  }

  /** Runs one round, or joins the one that is running. */
  #runOnce(): Promise<void> {
    this.#running ??= this.#round()
      .catch((cause) => this.#report(cause))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  /** Reports an error. A quorum missed in every round is reported if the message changes, or once per `REMINDER_MS`. */
  #report(cause: unknown): void {
    if (cause instanceof QuorumMissed) {
      const { message } = cause
      const now_ms = this.#options.clock()
      const isKnown = message === this.#missed?.message && now_ms - this.#missed.reported_ms < REMINDER_MS
      if (isKnown) return
      this.#missed = { message, reported_ms: now_ms }
    }
    this.#options.onTrouble(cause)
  }

  async #round(): Promise<void> {
    const { peers } = this.#options
    if (this.#isRolledBack) return
    if (peers === undefined) return this.#signNext()
    const head = await this.#follow()
    if (head.size === this.published()?.size || !this.#isDue()) return
    const turn = async () => {
      await this.#follow() // another node may have signed just before
      if (this.#isDue()) await this.#signNext()
    }
    // A closing node waits for its turn: the node that is signing now may have read an older head.
    await (this.#isClosing ? peers.awaitTurn(turn) : peers.takeTurn(turn))
  }

  #isDue(): boolean {
    return this.#isClosing || this.#published.unchanged_ms >= this.#options.interval_ms * (1 - EARLY)
  }

  /** Publishes a checkpoint that another node stored, after checking its signature and that the log still holds it. */
  async #follow(): Promise<Frontier> {
    const { reader, file, key } = this.#options
    const stored = await reader.lastCheckpoint()
    const head = await reader.head()
    await this.#assertHolds(head, this.#signed)
    if (stored === undefined || !isNewer(stored, this.published())) return head
    const { size, root } = await openCheckpoint(stored.note, key)
    if (size !== stored.size)
      throw new Error(`the stored checkpoint over ${stored.size} leaves was signed over ${size}`)
    await this.#assertHolds(head, { ...stored, root })
    // A crash here leaves the file one checkpoint behind the other nodes. The next start follows again.
    await file.write(stored.note)
    if (size > (this.#signed?.size ?? -1)) this.#signed = stored
    this.#published.replace(stored)
    return head
  }

  async #signNext(): Promise<void> {
    const { quorum } = this.#options
    const checkpoint = await this.#sign()
    if (checkpoint.size === this.published()?.size) return
    if (quorum === 0) {
      await this.#publish(checkpoint)
      void this.#addCosignatures(checkpoint)
      return
    }
    const lines = await this.#cosign(checkpoint)
    if (lines.length < quorum)
      throw new QuorumMissed(`only ${lines.length} of ${quorum} witnesses cosigned the checkpoint`)
    this.#missed = undefined
    await this.#publish(withCosignatures(checkpoint, lines))
  }

  /** Signs the committed log, unless this size is signed already. */
  async #sign(): Promise<StoredCheckpoint> {
    const { file, key, sign, clock } = this.#options
    const head = await this.#headToSign()
    if (this.#signed !== undefined && this.#signed.size === head.size) return this.#signed
    const root = rootOf(head)
    const text = checkpointText({ origin: key.name, size: head.size, root })
    const note = signedNote(text, [await signatureLine(text, key, sign)])
    // A crash before this write leaves nothing: the signature never left the process. A crash after it leaves a
    // checkpoint in the file that was not published. The next start checks that the log extends it and signs again.
    await file.write(note)
    this.#signed = { size: head.size, root, signed_at_ms: clock(), note }
    return this.#signed
  }

  /** Returns the head of the log, which can't be lost, and holds what this node has signed. */
  async #headToSign(): Promise<Frontier> {
    const { reader, peers, confirm } = this.#options
    const head = await reader.head()
    if (peers !== undefined) await this.#assertHolds(head, this.#signed)
    if (confirm === undefined || this.#signed?.size === head.size) return head
    // What was read may be lost, even after a commit: if a standby has taken over, the two may have reached different
    // databases. A failure here leaves nothing.
    const confirmed = await confirm()
    await this.#assertHolds(confirmed, this.#signed)
    return confirmed
  }

  async #publish(checkpoint: StoredCheckpoint): Promise<void> {
    const { store, peers, onTrouble } = this.#options
    // A crash or failure here leaves a gap in the stored list of checkpoints and none in the log: the file holds the
    // checkpoint, and the next one covers the same leaves. After the store, a crash leaves other nodes without the hint:
    // they find the checkpoint at their next interval.
    await store(checkpoint).then(() => peers?.notify(), onTrouble)
    if (checkpoint.size >= (this.published()?.size ?? 0)) this.#published.replace(checkpoint)
  }

  /**
   * Adds cosignatures to a published checkpoint. Newer ones may be signed meanwhile; only one at a time is cosigned.
   */
  async #addCosignatures(checkpoint: StoredCheckpoint): Promise<void> {
    const { cosign, quorum } = this.#options
    if (this.#isCosigning || cosign === undefined) return
    this.#isCosigning = true
    const lines = await this.#cosign(checkpoint)
    this.#isCosigning = false
    // A crash here leaves the checkpoint published without these lines. The next start asks the witnesses again.
    if (lines.length >= Math.max(quorum, 1)) await this.#publish(withCosignatures(checkpoint, lines))
  }

  async #cosign(checkpoint: StoredCheckpoint): Promise<readonly string[]> {
    const { cosign, key } = this.#options
    return cosign?.({ ...checkpoint, origin: key.name }) ?? []
  }

  /** Stops signing for good if the store no longer holds the signed entries: another signature would fork the log. */
  async #assertHolds(head: Frontier, known: StoredCheckpoint | undefined): Promise<void> {
    if (known === undefined) return
    const isHeld =
      head.size >= known.size && Buffer.compare(await this.#rootAt(head, known.size), known.root) === 0
    if (isHeld) return
    this.#isRolledBack = true
    const found = head.size < known.size ? `only ${head.size}` : 'different ones'
    const error = new RolledBackError(
      `A checkpoint over ${known.size} log entries was signed, but the store holds ${found}. The store has lost acknowledged changes, perhaps in a failover. Restore the newest copy of the data before you start any node again.`,
    )
    this.#options.peers?.onRolledBack(error)
    throw error
  }

  /** Returns the root over the first `size` leaves, read from the store now. A cached tree could hide a rollback. */
  async #rootAt(head: Frontier, size: number): Promise<Uint8Array> {
    return head.size === size ? rootOf(head) : logTree(this.#options.reader).rootAt(size)
  }
}

/** Whether it is a larger checkpoint, or the same one with more cosignatures. */
function isNewer(stored: StoredCheckpoint, published: StoredCheckpoint | undefined): boolean {
  if (published === undefined || stored.size > published.size) return true
  return stored.size === published.size && stored.note.length > published.note.length
}

/** Returns the checkpoint with the log's own signature and these cosignatures, which replace any that it had. */
function withCosignatures(checkpoint: StoredCheckpoint, lines: readonly string[]): StoredCheckpoint {
  const [text = '', signatures = ''] = checkpoint.note.split(/(?<=\n)\n/)
  const [own = ''] = signatures.split(/(?<=\n)/)
  return { ...checkpoint, note: signedNote(text, [own, ...lines]) }
}
