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
import type { LogReader, StoredCheckpoint } from '../store/port.ts'
import { type Guard, RolledBackError } from './guard.ts'
import { logTree } from './tree.ts'

/** Asks others to sign a checkpoint as well. Answers the lines to add to its note, in no order, never rejecting. */
export type Cosign = (checkpoint: Checkpoint & { readonly note: string }) => Promise<readonly string[]>

export interface CheckpointSignerOptions {
  readonly reader: LogReader
  readonly guard: Guard
  readonly key: NoteKey
  readonly sign: Sign
  readonly clock: () => number
  /** The least time between two checkpoints; 0: whenever somebody asks. */
  readonly interval_ms: number
  /** Keeps a checkpoint for later. */
  readonly keep: (checkpoint: StoredCheckpoint) => Promise<unknown>
  readonly cosign: Cosign | undefined
  /** How many cosignatures a checkpoint needs before it is published. */
  readonly quorum: number
  /** Told why there is no new checkpoint. */
  onTrouble(cause: unknown): void
  /** Other nodes that sign the same log with the same key; undefined where there is one process only. */
  readonly peers?: Peers | undefined
}

/** All nodes sign the same history, so no two of them can contradict each other; they only share the work. */
export interface Peers {
  /** Does the work unless another node is at it. */
  turn(work: () => Promise<void>): Promise<void>
  /** Tells the others that a checkpoint was kept. It may get lost: they look for themselves once in a while. */
  tell(): void
  /** The store lacks what this node has published. Nothing may be signed any more. */
  onRolledBack(cause: RolledBackError): void
}

/** Signs what is committed. A checkpoint is published only after it is in the guard's file. */
export interface CheckpointSigner {
  /** The newest checkpoint that was published; undefined as long as witnesses are missing for the first one. */
  published(): StoredCheckpoint | undefined
  /** The newest checkpoint once it covers `size` leaves, or undefined when that takes too long. */
  covering(size: number): Promise<StoredCheckpoint | undefined>
  /** Another node may have kept a checkpoint: it is looked for now instead of later. */
  look(): void
  /** Signs what has been committed since, and stops. */
  close(): Promise<void>
}

const PATIENCE_MS = 10_000
/** Timers are not exact. A node that finds its turn this much early takes it, rather than wait a whole round more. */
const EARLY = 0.1

export async function openCheckpointSigner(options: CheckpointSignerOptions): Promise<CheckpointSigner> {
  const { reader, guard, key, interval_ms, clock, quorum, peers } = options
  let published = await reader.lastCheckpoint()
  let signed = published
  let work: Promise<void> | undefined
  let isDecorating = false
  let isClosing = false
  let isLost = false
  let changed_ms = Number.NEGATIVE_INFINITY
  let waiting: { readonly size: number; resolve(): void }[] = []

  function publish(checkpoint: StoredCheckpoint): void {
    if (checkpoint.size !== published?.size) changed_ms = clock()
    published = checkpoint
    const rest = waiting.filter(({ size }) => size > checkpoint.size)
    for (const caller of waiting) if (caller.size <= checkpoint.size) caller.resolve()
    waiting = rest
  }

  /** Signs the log as it is committed now, unless that has been done. */
  async function sign(): Promise<StoredCheckpoint> {
    const head = await reader.head()
    if (peers !== undefined) await assertHolds(head, signed)
    if (signed !== undefined && signed.size === head.size) return signed
    const root = rootOf(head)
    const text = checkpointText({ origin: key.name, size: head.size, root })
    const note = signedNote(text, [await signatureLine(text, key, options.sign)])
    await guard.write(note)
    signed = { size: head.size, root, signed_at_ms: clock(), note }
    return signed
  }

  async function round(): Promise<void> {
    if (isLost) return
    if (peers === undefined) return signNext()
    const head = await follow()
    if (head.size === published?.size) return
    await peers.turn(async () => {
      await follow() // one of them may have signed just before
      if (isClosing || clock() - changed_ms >= interval_ms * (1 - EARLY)) await signNext()
    })
  }

  /** Publishes what another node has kept, once it is known to be of this log and the log still holds it. */
  async function follow(): Promise<Frontier> {
    const kept = await reader.lastCheckpoint()
    const head = await reader.head()
    await assertHolds(head, signed)
    if (kept === undefined || !isNews(kept, published)) return head
    const { size, root } = await openCheckpoint(kept.note, key)
    if (size !== kept.size) throw new Error('a checkpoint is kept under another size than its own')
    await assertHolds(head, { ...kept, root })
    await guard.write(kept.note)
    if (size > (signed?.size ?? -1)) signed = kept
    publish(kept)
    return head
  }

  /** Stops for good when the store no longer holds what was signed: signing on would fork the log. */
  async function assertHolds(head: Frontier, known: StoredCheckpoint | undefined): Promise<void> {
    if (known === undefined) return
    const isThere =
      head.size >= known.size && Buffer.compare(await rootNow(head, known.size), known.root) === 0
    if (isThere) return
    isLost = true
    const error = new RolledBackError(
      `A checkpoint over ${known.size} entries of the log was signed, but the store holds ${head.size < known.size ? `only ${head.size}` : 'others'}: it has lost what was acknowledged, perhaps in a failover. Put the newest copy of the data back before any node starts again.`,
    )
    peers?.onRolledBack(error)
    throw error
  }

  /** The root over the first leaves as they are in the store at this moment; nothing that was read before counts. */
  async function rootNow(head: Frontier, size: number): Promise<Uint8Array> {
    return head.size === size ? rootOf(head) : logTree(reader).rootAt(size)
  }

  async function signNext(): Promise<void> {
    const checkpoint = await sign()
    if (checkpoint.size === published?.size) return
    if (quorum === 0) {
      await announce(checkpoint)
      void decorate(checkpoint)
      return
    }
    const lines = await cosign(checkpoint)
    if (lines.length < quorum)
      throw new Error(`only ${lines.length} of ${quorum} witnesses cosigned the checkpoint`)
    await announce(withLines(checkpoint, lines))
  }

  /** Adds cosignatures when they come. Meanwhile newer checkpoints may be signed: those that are owed wait their turn. */
  async function decorate(checkpoint: StoredCheckpoint): Promise<void> {
    if (isDecorating || options.cosign === undefined) return
    isDecorating = true
    const lines = await cosign(checkpoint)
    isDecorating = false
    if (lines.length >= Math.max(quorum, 1)) await announce(withLines(checkpoint, lines))
  }

  async function cosign(checkpoint: StoredCheckpoint): Promise<readonly string[]> {
    return options.cosign?.({ ...checkpoint, origin: key.name }) ?? []
  }

  async function announce(checkpoint: StoredCheckpoint): Promise<void> {
    await options.keep(checkpoint).then(peers?.tell, options.onTrouble) // the list of old ones may have a gap, the log has none
    if (checkpoint.size >= (published?.size ?? 0)) publish(checkpoint)
  }

  /** One round at a time. */
  function attend(): Promise<void> {
    work ??= round()
      .catch(options.onTrouble)
      .finally(() => {
        work = undefined
      })
    return work
  }

  await attend()
  // Witnesses are asked at every start, also about what was published before: they may know of more.
  if (published !== undefined) void decorate(published)
  const timer = interval_ms === 0 ? undefined : setInterval(attend, interval_ms)

  return {
    published: () => published,
    async covering(size) {
      if (published !== undefined && published.size >= size) return published
      await new Promise<void>((resolve) => {
        const patience = setTimeout(resolve, PATIENCE_MS)
        waiting.push({
          size,
          resolve() {
            clearTimeout(patience)
            resolve()
          },
        })
        // Somebody who asks seldom need not wait for the clock.
        if (clock() - (signed?.signed_at_ms ?? 0) >= interval_ms) void attend()
      })
      return published !== undefined && published.size >= size ? published : undefined
    },
    look() {
      if (!isClosing) void attend()
    },
    async close() {
      isClosing = true
      clearInterval(timer)
      await work
      await attend() // so that all that was acknowledged is signed for
    },
  }
}

/** A larger checkpoint, or the same one with more cosignatures. */
function isNews(kept: StoredCheckpoint, published: StoredCheckpoint | undefined): boolean {
  if (published === undefined || kept.size > published.size) return true
  return kept.size === published.size && kept.note.length > published.note.length
}

/** The checkpoint with the log's own signature and these cosignatures, in place of any that it had. */
function withLines(checkpoint: StoredCheckpoint, lines: readonly string[]): StoredCheckpoint {
  const [text = '', signatures = ''] = checkpoint.note.split(/(?<=\n)\n/)
  const [own = ''] = signatures.split(/(?<=\n)/)
  return { ...checkpoint, note: signedNote(text, [own, ...lines]) }
}
