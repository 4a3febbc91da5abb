/**
 * The items waiting to be sent on each channel, and marks of those that were sent, in the ephemeral store: after a
 * restart, and on other nodes, sending continues where it stopped. An item gets its own row before the cursor of the
 * log passes it, and additions reach the disk in order, so a crash loses no row that the cursor has passed. It may lose
 * the newest marks; then a message is sent twice, with the same ID.
 */
import { DAY_MS, MINUTE_MS } from '../../domain/times/time.ts'
import type { KnownChannel } from '../../messages/channel.ts'
import { type EphemeralEntry, type EphemeralStore, putEphemeral } from '../../store/ephemeral.ts'
import { addClaim, freeClaim, type HeldClaim } from '../../store/ephemeral-claim.ts'

/** An item to send on a channel. It names its subject; the text is composed when it is sent. */
export interface OutboxItem {
  readonly id: string
  readonly at_ms: number
  readonly ends_at_ms: number
  /** For an approval request: its ID. */
  readonly approval_id?: string
  readonly is_escalated?: boolean
  /** For a notice: the log entry that it is about. */
  readonly log_index?: number
  readonly is_urgent?: boolean
}

type Row = { readonly state: 'waiting'; readonly item: OutboxItem } | { readonly state: 'told' }

/** How long one attempt may take before another node makes the next one. */
const CLAIM_MS = MINUTE_MS
/** Marks outlive any approval request. */
const TOLD_MS = 31 * DAY_MS
const CURSOR = { key: 'cursor', kept_ms: 400 * DAY_MS }
/** All waiting rows have one owner, so that they can be found together. */
const WAITING = 'messages that wait'

export class MessageOutbox {
  readonly #ephemeral: EphemeralStore
  readonly #clock: () => number

  constructor(ephemeral: EphemeralStore, clock: () => number) {
    this.#ephemeral = ephemeral
    this.#clock = clock
  }

  /** Keeps an item until it is sent. Returns false if it was already sent. */
  async keep(channel_id: string, item: OutboxItem): Promise<boolean> {
    const row = { state: 'waiting', item } as const
    const entry = rowEntry(channel_id, item.id, row, { owner: WAITING, expires_at_ms: item.ends_at_ms })
    return (await this.#ephemeral.add('message', entry)) || !(await this.isTold(channel_id, item.id))
  }

  /** Returns everything that waits, on any channel, oldest first. */
  async waiting(): Promise<{ readonly channel_id: string; readonly item: OutboxItem }[]> {
    const entries = await this.#ephemeral.ofOwner('message', WAITING)
    return entries.reverse().flatMap(({ key, value }) => {
      const row = readRow(value)
      return row.state === 'waiting' ? { channel_id: channelIn(key), item: row.item } : []
    })
  }

  async isTold(channel_id: string, id: string): Promise<boolean> {
    const entry = await this.#ephemeral.get('message', rowKey(channel_id, id))
    return entry !== undefined && readRow(entry.value).state === 'told'
  }

  /** Marks an item as sent. The mark belongs to the person, so it is removed with them. */
  async told({ channel_id, owner }: KnownChannel, id: string): Promise<void> {
    const expires_at_ms = this.#clock() + TOLD_MS
    await this.#put(rowEntry(channel_id, id, { state: 'told' }, { owner, expires_at_ms }))
  }

  /** Drops an item that no longer needs to be sent. */
  async drop(channel_id: string, id: string): Promise<void> {
    await this.#ephemeral.take('message', rowKey(channel_id, id))
  }

  /** Claims a channel, so that only one node at a time sends on it. A claim that isn't released expires. */
  claim(channel_id: string): Promise<HeldClaim | undefined> {
    const expires_at_ms = this.#clock() + CLAIM_MS
    return addClaim(this.#ephemeral, 'message', {
      key: `${channel_id} claim`,
      owner: undefined,
      expires_at_ms,
    })
  }

  release(claim: HeldClaim): Promise<void> {
    return freeClaim(this.#ephemeral, 'message', claim)
  }

  /** Returns the index up to which the log was read. Undefined if it never was, or if the cursor was lost. */
  async cursor(): Promise<number | undefined> {
    const entry = await this.#ephemeral.get('message', CURSOR.key)
    return entry && Number(entry.value)
  }

  /**
   * Saves the cursor. Nodes may move it back and forth: every item below any cursor waits in its own row, or was sent.
   */
  saveCursor(next: number): Promise<void> {
    const expires_at_ms = this.#clock() + CURSOR.kept_ms
    return this.#put({ key: CURSOR.key, value: String(next), owner: undefined, expires_at_ms })
  }

  async #put(entry: EphemeralEntry): Promise<void> {
    await putEphemeral(this.#ephemeral, 'message', entry)
  }
}

function rowEntry(
  channel_id: string,
  id: string,
  row: Row,
  terms: Pick<EphemeralEntry, 'owner' | 'expires_at_ms'>,
): EphemeralEntry {
  return { key: rowKey(channel_id, id), value: JSON.stringify(row), ...terms }
}

function readRow(value: string): Row {
  return JSON.parse(value) // only `rowEntry` writes such entries
}

function rowKey(channel_id: string, id: string): string {
  return `${channel_id} ${id}`
}

function channelIn(key: string): string {
  return key.slice(0, key.indexOf(' '))
}
