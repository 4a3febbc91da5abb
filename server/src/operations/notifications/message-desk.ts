/**
 * Notifies people of what waits for them, one message at a time on each channel. Channels don't wait for each other.
 * Items that arrive together are sent together, little is sent in quiet hours, and a flood becomes a digest. Everything
 * that must outlive this process is in the outbox.
 *
 * An approval request is checked again when its message is sent: none is sent if it was answered meanwhile, or if the
 * person may no longer decide it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { currentState } from '../../domain/approvals/approval.ts'
import { GATHER_MS, messageDueAt } from '../../domain/times/message-timing.ts'
import type { KnownChannel } from '../../messages/channel.ts'
import type { SendOutcome } from '../../messages/mailer.ts'
import type { Message } from '../../messages/message.ts'
import { type Question, questionMessage } from '../../messages/question-message.ts'
import { dropChannel, findChannel } from '../channels/channel-entries.ts'
import { type ChannelState, channelState, putChannelState, stateAfter } from '../channels/channel-state.ts'
import { type NotificationSettings, settingsOf } from '../channels/notification-settings.ts'
import type { OperationContext } from '../operation-context.ts'
import { questionDetails } from '../questions/question-details.ts'
import { composedId } from './composed-id.ts'
import { MessageOutbox, type OutboxItem } from './message-outbox.ts'
import { isKindAllowed, isStillAsked } from './message-recipients.ts'
import { MessageSource } from './message-source.ts'
import { noticeDigest, noticeMessage } from './notice-message.ts'
import { QuestionEscalations } from './question-escalations.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

/** A message covers at most this many items; the others follow. */
const MOST_TOGETHER = 100
/** Settings may change, so a waiting channel is checked again after this time. */
const LOOK_AGAIN_MS = 30_000
/** Pause after a channel could not be served at all, for instance because the store was unavailable. */
const FAILED_PAUSE_MS = 5_000
/** A shutdown waits this long for receivers. */
const CLOSE_MS = 3_000

/** The items waiting for one channel, as far as this node knows. */
interface Queue {
  readonly items: Map<string, OutboxItem>
  look_ms: number
}

/** The items of one message, and what is known about their channel. */
interface DueMessage {
  readonly items: readonly OutboxItem[]
  readonly state: ChannelState
  readonly settings: NotificationSettings
}

/** A message with the items that it covers. */
interface Composed {
  readonly message: Message
  readonly told: readonly OutboxItem[]
}

interface WorthTelling<T> {
  readonly told: readonly OutboxItem[]
  readonly contents: readonly [T, ...T[]]
  readonly message_id: string
}

export class MessageDesk {
  readonly #context: OperationContext
  readonly #outbox: MessageOutbox
  readonly #source: MessageSource
  readonly #escalations: QuestionEscalations
  readonly #queues = new Map<string, Queue>()
  /** The channels that a message is being sent on. */
  readonly #serving = new Map<string, Promise<void>>()
  #looking: Promise<void> | undefined
  /** The first failure since the last run. */
  #failure: { readonly cause: unknown } | undefined

  constructor(context: OperationContext) {
    this.#context = context
    this.#outbox = new MessageOutbox(context.ephemeral, context.clock)
    this.#escalations = new QuestionEscalations(context)
    this.#source = new MessageSource({
      context,
      outbox: this.#outbox,
      onItem: (channel_id, item) => this.#queue(channel_id, item),
      onQuestion: (approval) => this.#escalations.schedule(approval),
    })
  }

  /**
   * Reads what is new, and begins to send what is due. Called every second. Doesn't wait for receivers: a slow one delays
   * only its own channel. Rejects if something failed since the last call.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  /** The same, and waits until everything that was due is sent. */
  async runOnce(): Promise<void> {
    await this.look()
    await Promise.all(this.#serving.values())
  }

  /**
   * Stops following the log, and waits a moment for messages that are being sent. Those that take longer are sent again
   * after the next start, with the same ID.
   */
  async close(): Promise<void> {
    await this.#source.close()
    await this.#looking?.catch(() => {})
    await Promise.race([Promise.all(this.#serving.values()), delay(CLOSE_MS, undefined, { ref: false })])
  }

  async #look(): Promise<void> {
    await this.#source.runOnce()
    for (const [channel_id, queue] of this.#queues)
      if (!this.#serving.has(channel_id)) this.#serving.set(channel_id, this.#serveOnce(channel_id, queue))
    await this.#escalations.runOnce()
    const failed = this.#failure
    this.#failure = undefined
    if (failed !== undefined) throw failed.cause
  }

  /** Never rejects. After a failure, the channel is looked at again later, because the failure may be its own. */
  async #serveOnce(channel_id: string, queue: Queue): Promise<void> {
    try {
      await this.#serve(channel_id, queue)
    } catch (cause) {
      this.#failure ??= { cause }
      queue.look_ms = this.#context.clock() + FAILED_PAUSE_MS
    } finally {
      this.#serving.delete(channel_id)
    }
  }

  #queue(channel_id: string, item: OutboxItem): void {
    const queue = this.#queues.get(channel_id) ?? { items: new Map(), look_ms: 0 }
    queue.items.set(item.id, item)
    queue.look_ms = 0
    this.#queues.set(channel_id, queue)
  }

  async #serve(channel_id: string, queue: Queue): Promise<void> {
    if (this.#context.clock() < queue.look_ms) return
    const channel = await findChannel(channel_id, this.#context.reader.registry)
    if (channel === undefined) return this.#forget(channel_id, queue)
    // The tenant may have stopped allowing its kind while messages were waiting.
    if (!(await isKindAllowed(channel, this.#context))) return this.#forget(channel_id, queue)
    if ((await this.#due(channel, queue)) === undefined) return
    const claim = await this.#outbox.claim(channel_id)
    if (claim === undefined) return
    try {
      // Another node may have sent it meanwhile. While this node holds the claim, none does.
      const due = await this.#due(channel, queue)
      if (due !== undefined) await this.#tell(channel, queue, due)
    } finally {
      await this.#outbox.release(claim)
    }
  }

  async #forget(channel_id: string, { items }: Queue): Promise<void> {
    this.#queues.delete(channel_id)
    for (const id of items.keys()) await this.#outbox.drop(channel_id, id)
  }

  /** Returns what to send on the channel now. If there is nothing, pauses the queue. */
  async #due(channel: KnownChannel, queue: Queue): Promise<DueMessage | undefined> {
    const { clock, ephemeral, reader } = this.#context
    const now_ms = clock()
    const state = await channelState(channel.channel_id, ephemeral)
    const { settings } = await settingsOf(channel, reader.registry)
    let next_ms = now_ms + LOOK_AGAIN_MS
    for (const group of groupsOf([...queue.items.values()])) {
      const due_ms = Math.max(state.not_before_ms, groupDueAt(group, state, settings, now_ms))
      const items = due_ms > now_ms ? [] : await this.#untold(channel, queue, group)
      if (items.length > 0) return { items, state, settings }
      if (due_ms > now_ms) next_ms = Math.min(next_ms, due_ms)
    }
    if (queue.items.size === 0) this.#queues.delete(channel.channel_id)
    else queue.look_ms = next_ms
    return undefined
  }

  async #untold(
    { channel_id }: KnownChannel,
    { items }: Queue,
    group: readonly OutboxItem[],
  ): Promise<OutboxItem[]> {
    const untold: OutboxItem[] = []
    for (const item of group) {
      const isOver = this.#context.clock() >= item.ends_at_ms
      if (isOver || (await this.#outbox.isTold(channel_id, item.id))) items.delete(item.id)
      else untold.push(item)
      if (untold.length === MOST_TOGETHER) break
    }
    return untold
  }

  async #tell(channel: KnownChannel, queue: Queue, due: DueMessage): Promise<void> {
    const { clock, messenger, onNotice } = this.#context
    const { channel_id, document } = channel
    const composed = await this.#compose(channel, queue, due)
    if (composed === undefined) return
    const unsubscribe_url = unsubscribeUrl(channel_id, this.#context)
    const outcome = await messenger.send(document, composed.message, unsubscribe_url)
    if (outcome.kind === 'sent')
      for (const { id } of composed.told) {
        // A crash before this line leaves a claim that ends: the message is sent again with the same ID.
        await this.#outbox.told(channel, id)
        queue.items.delete(id)
      }
    await putChannelState(channel, stateAfter(due.state, outcome, clock()), this.#context)
    if (outcome.kind === 'sent') return
    onNotice('message not delivered', { channel_id, why: outcome.why })
    await this.#endIfGone(channel, queue, outcome)
  }

  async #endIfGone(channel: KnownChannel, queue: Queue, { kind }: SendOutcome): Promise<void> {
    if (kind !== 'gone') return
    await dropChannel(channel, undefined, this.#context)
    await this.#forget(channel.channel_id, queue)
  }

  #compose(channel: KnownChannel, queue: Queue, due: DueMessage): Promise<Composed | undefined> {
    return due.items.some(({ approval_id }) => approval_id !== undefined)
      ? this.#composeQuestions(channel, queue, due)
      : this.#composeNotices(channel, queue, due)
  }

  async #composeQuestions(
    channel: KnownChannel,
    queue: Queue,
    { items, settings }: DueMessage,
  ): Promise<Composed | undefined> {
    const worth = await this.#stillWorthTelling(channel, queue, items, (item) =>
      this.#stillOpen(channel, item),
    )
    if (worth === undefined) return undefined
    const message = questionMessage(worth.contents, {
      public_url: this.#context.public_url(),
      tenant_id: channel.tenant_id,
      time_zone: settings.time_zone,
      is_escalated: worth.told.every(({ is_escalated }) => is_escalated === true),
      message_id: worth.message_id,
    })
    return { message, told: worth.told }
  }

  async #composeNotices(
    channel: KnownChannel,
    queue: Queue,
    { items }: DueMessage,
  ): Promise<Composed | undefined> {
    const worth = await this.#stillWorthTelling(channel, queue, items, (item) => this.#notice(channel, item))
    if (worth === undefined) return undefined
    const { contents, message_id, told } = worth
    const ends_at_ms = Math.max(...told.map((item) => item.ends_at_ms))
    return { message: { ...noticeDigest(contents), message_id, ends_at_ms }, told }
  }

  /** Returns the items that still matter, and drops the others. */
  async #stillWorthTelling<T>(
    channel: KnownChannel,
    queue: Queue,
    items: readonly OutboxItem[],
    contentOf: (item: OutboxItem) => Promise<T | undefined>,
  ): Promise<WorthTelling<T> | undefined> {
    const told: OutboxItem[] = []
    const contents: T[] = []
    for (const item of items) {
      const content = await contentOf(item)
      if (content === undefined) {
        await this.#dropItem(channel, queue, item)
        continue
      }
      told.push(item)
      contents.push(content)
    }
    const [first, ...others] = contents
    if (first === undefined) return undefined
    const ids = told.map(({ id }) => id)
    return { told, contents: [first, ...others], message_id: composedId(channel.channel_id, ids) }
  }

  async #stillOpen(channel: KnownChannel, { approval_id }: OutboxItem): Promise<Question | undefined> {
    const { reader, clock } = this.#context
    const approval = approval_id === undefined ? undefined : await reader.approval(approval_id)
    if (approval === undefined || currentState(approval, clock()) !== 'pending') return undefined
    if (!(await isStillAsked(approval, channel, this.#context))) return undefined
    return (await questionDetails(approval, this.#context)).question
  }

  async #notice({ tenant_id }: KnownChannel, { log_index }: OutboxItem): Promise<Message | undefined> {
    const public_url = this.#context.public_url()
    const { feed } = this.#context.events
    if (log_index === undefined) return undefined
    const { changes } = await feed.read(log_index, 1)
    const event = await changes[0]?.event()
    return event && noticeMessage(event, { public_url, tenant_id })
  }

  async #dropItem({ channel_id }: KnownChannel, { items }: Queue, { id }: OutboxItem): Promise<void> {
    items.delete(id)
    await this.#outbox.drop(channel_id, id)
  }
}

type Group = readonly [OutboxItem, ...OutboxItem[]]

/**
 * Groups items that may be sent in one message: urgent notices, other notices, questions. Urgent ones come first, then the
 * group that has waited longest: in a flood of notices, a question still gets its turn, and the other way round.
 */
function groupsOf(items: readonly OutboxItem[]): Group[] {
  const isQuestion = ({ approval_id }: OutboxItem) => approval_id !== undefined
  const isUrgent = ({ is_urgent }: OutboxItem) => is_urgent === true
  const ordinary = [items.filter((item) => !isUrgent(item) && !isQuestion(item)), items.filter(isQuestion)]
  return [
    ...groupFrom(items.filter(isUrgent)),
    ...ordinary.flatMap(groupFrom).sort((a, b) => oldestOf(a) - oldestOf(b)),
  ]
}

function groupFrom([first, ...others]: readonly OutboxItem[]): Group[] {
  return first === undefined ? [] : [[first, ...others]]
}

function oldestOf([first, ...others]: Group): number {
  return others.reduce((least, { at_ms }) => Math.min(least, at_ms), first.at_ms)
}

/** Returns when a group is due. Questions wait a moment for others that arrive with them. */
function groupDueAt(
  group: Group,
  { sent_ms }: ChannelState,
  { quiet_hours: quiet }: NotificationSettings,
  now_ms: number,
): number {
  const [first] = group
  const oldest_ms = oldestOf(group)
  const ready_ms = first.approval_id === undefined ? oldest_ms : oldest_ms + GATHER_MS
  return messageDueAt({ ready_ms, sent_ms, quiet, is_urgent: first.is_urgent === true }, now_ms)
}
