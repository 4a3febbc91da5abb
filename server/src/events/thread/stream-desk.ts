import { setTimeout as sleep } from 'node:timers/promises'
import type { Leaf } from '../../log/leaf.ts'
import { eventFrame } from '../event-text.ts'
import type { EventFeed } from '../feed.ts'
import type { FeedBatch } from '../feed-subscription.ts'
import type { FromHost, StreamOrder, StreamPiece } from './messages.ts'
import { PIECE_LENGTH, StreamGroup } from './stream-group.ts'
import { StreamMember } from './stream-member.ts'

/**
 * The share of its time that the HTTP thread spends writing to streams. Events that occur in between are written
 * together.
 */
const SHARE = 0.03
/** Each round costs messages between the threads, so at least this time passes between two rounds. */
const SHORTEST_REST_MS = 25
/** Events aren't held back for longer than this to keep to that share. */
const LONGEST_REST_MS = 250
/**
 * If an event has waited for longer than this, streams get more than their share, because a revocation must not be
 * late.
 */
const LATE_MS = 1_000

/** Its arrays have their own memory, so that nothing else is copied between threads. */
const encoder = new TextEncoder()

interface Membership {
  readonly member: StreamMember
  readonly group: StreamGroup
}

export interface StreamDeskOptions {
  readonly feed: EventFeed
  readonly tell: (message: FromHost['tells']) => void
  readonly onTrouble: (cause: unknown, what: string) => void
}

/**
 * Writes the contents of streams. The HTTP thread only passes them on, one piece per stream at a time. The next one is
 * sent when the client has taken it.
 */
export class StreamDesk {
  readonly #options: StreamDeskOptions
  readonly #members = new Map<number, Membership>()
  readonly #groups = new Map<string, StreamGroup>()
  readonly #due = new Set<StreamGroup>()
  #timer: NodeJS.Timeout | undefined
  /** Nothing is written before this time, by the steady clock. */
  #rests_until = 0

  constructor(options: StreamDeskOptions) {
    this.#options = options
  }

  open(stream_id: number, order: StreamOrder): void {
    const group = this.#groupOf(order)
    const member = new StreamMember(stream_id, order)
    const membership = { member, group }
    this.#members.set(stream_id, membership)
    group.members.add(member)
    this.#goOn(membership)
  }

  leave(stream_id: number): void {
    const membership = this.#members.get(stream_id)
    if (membership === undefined) return
    const { member, group } = membership
    this.#members.delete(stream_id)
    group.members.delete(member)
    member.is_closed = true
    member.ring()
    if (group.members.size > 0) return
    group.close()
    this.#due.delete(group)
    for (const [key, one] of this.#groups) if (one === group) this.#groups.delete(key)
  }

  /** Called when clients have taken what was written. `took_ms` is the time that the HTTP thread spent writing. */
  taken(stream_ids: readonly number[], took_ms: number): void {
    const longest_ms = this.#isLate() ? took_ms : LONGEST_REST_MS
    const rest_ms = Math.max(SHORTEST_REST_MS, Math.min(took_ms / SHARE, longest_ms))
    this.#rests_until = Math.max(this.#rests_until, performance.now() + rest_ms)
    for (const stream_id of stream_ids) {
      const membership = this.#members.get(stream_id)
      if (membership === undefined) continue
      membership.member.is_free = true
      this.#goOn(membership)
    }
  }

  /** Called when a stream's credential was still valid after a doubt. */
  valid(stream_id: number, doubt: number): void {
    const membership = this.#members.get(stream_id)
    if (membership === undefined) return
    membership.member.verified(doubt)
    this.#goOn(membership)
  }

  /** Everything below the result was sent to a stream, or isn't for it. Undefined while something is on its way. */
  passed(stream_id: number): number | undefined {
    const { member, group } = this.#members.get(stream_id) ?? {}
    if (member === undefined || member.is_behind || !member.is_ready) return undefined
    return group?.nextOf(member)
  }

  close(): void {
    for (const stream_id of [...this.#members.keys()]) this.leave(stream_id)
    clearTimeout(this.#timer)
  }

  #groupOf(order: StreamOrder): StreamGroup {
    const key = groupKey(order)
    const known = this.#groups.get(key)
    if (known !== undefined) return known
    const { feed, onTrouble } = this.#options
    const group = new StreamGroup({ feed, order, onTrouble, onEvents: () => this.#writeSoon(group) })
    this.#groups.set(key, group)
    return group
  }

  #goOn({ member, group }: Membership): void {
    member.ring()
    if (!member.is_behind) this.#writeSoon(group)
  }

  #writeSoon(group: StreamGroup): void {
    this.#due.add(group)
    this.#timer ??= setTimeout(() => this.#write(), Math.max(0, this.#rests_until - performance.now()))
  }

  /** Sends everything that is due in one message. */
  #write(): void {
    this.#timer = undefined
    const texts: Uint8Array[] = []
    const pieces = [...this.#due].flatMap((group) => this.#piecesFor(group, texts))
    this.#due.clear()
    if (pieces.length > 0) this.#options.tell({ kind: 'write', texts, pieces })
  }

  /** The next pieces of a group. Members at the same position share a text. */
  #piecesFor(group: StreamGroup, texts: Uint8Array[]): StreamPiece[] {
    const written = new Map<number, Omit<StreamPiece, 'stream_id'> | undefined>()
    const write = (from: number) => {
      const found = group.textFrom(from)
      return found && { text: texts.push(encoder.encode(found.text)) - 1, next: found.next }
    }
    const pieces: StreamPiece[] = []
    for (const member of group.members) {
      if (!this.#mayWrite({ member, group })) continue
      if (!written.has(member.next)) written.set(member.next, write(member.next))
      const piece = written.get(member.next)
      if (piece === undefined) continue
      pieces.push({ stream_id: member.stream_id, ...piece })
      member.next = piece.next
      member.is_free = false
    }
    group.trim()
    return pieces
  }

  #mayWrite({ member, group }: Membership): boolean {
    if (member.is_closed || member.is_behind) return false
    if (member.next < group.start) {
      void this.#catchUp({ member, group })
      return false
    }
    this.#verify(member)
    return member.is_ready
  }

  #verify(member: StreamMember): void {
    const doubt = member.takeDoubt()
    if (doubt === undefined) return
    this.#options.tell({ kind: 'verify', stream_id: member.stream_id, doubt })
  }

  /**
   * Reads what the group no longer keeps for one stream, until the group keeps everything that follows. Never rejects.
   */
  async #catchUp({ member, group }: Membership): Promise<void> {
    const { feed, onTrouble } = this.#options
    member.is_behind = true
    const { interest } = member.order
    const watches = (leaf: Leaf) => member.watch(leaf)
    const subscription = feed.subscribe({ from: member.next, interest, watches })
    try {
      for await (const batch of subscription) {
        await this.#writeBatch(member, batch)
        if (member.is_closed || member.next >= group.start) break
      }
    } catch (cause) {
      onTrouble(cause, 'events could not be read') // tried again below
      await sleep(LATE_MS)
    }
    member.is_behind = false
    if (!member.is_closed) this.#writeSoon(group)
  }

  async #writeBatch(member: StreamMember, { changes, next }: FeedBatch): Promise<void> {
    let text = ''
    for (const change of changes) {
      const frame = eventFrame(change, member.order.format, member.order.source)
      text += typeof frame === 'string' ? frame : await frame
      if (text.length < PIECE_LENGTH) continue
      await this.#writeTo(member, text, change.log_index + 1)
      text = ''
    }
    await this.#writeTo(member, text, next)
  }

  async #writeTo(member: StreamMember, text: string, next: number): Promise<void> {
    this.#verify(member)
    await member.ready()
    if (member.is_closed) return
    member.next = next
    if (text === '') return
    const rest_ms = this.#rests_until - performance.now()
    if (rest_ms > 0) await sleep(rest_ms)
    member.is_free = false
    const { stream_id } = member
    this.#options.tell({
      kind: 'write',
      texts: [encoder.encode(text)],
      pieces: [{ stream_id, text: 0, next }],
    })
  }

  #isLate(): boolean {
    const before = performance.now() - LATE_MS
    for (const { oldest_ms = before } of this.#groups.values()) if (oldest_ms < before) return true
    return false
  }
}

/** Streams with the same key get the same bytes. */
function groupKey({ interest: { subscriber, filter }, format, source }: StreamOrder): string {
  const types = filter.types && [...filter.types].sort()
  return JSON.stringify([subscriber, { ...filter, types }, format, source])
}
