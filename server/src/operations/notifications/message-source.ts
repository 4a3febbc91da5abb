/**
 * Finds what people should be notified of: open questions, and events in the log since the cursor. The cursor moves on
 * once everything below it is stored for its channels.
 */
import { EVENT_TYPES, tenantOf } from '@deputize/protocol'
import { currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import { quietRunEnd } from '../../domain/times/quiet-hours.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/times/time.ts'
import type { LoggedChange } from '../../events/change.ts'
import type { FeedSubscription } from '../../events/feed-subscription.ts'
import type { KnownChannel } from '../../messages/channel.ts'
import { EVERY_RECORD } from '../../store/port/filters.ts'
import { StoreError } from '../../store/port/store-error.ts'
import { hasConfirmedChannel } from '../channels/channel-entries.ts'
import { settingsOf } from '../channels/notification-settings.ts'
import { firstIndexAfter } from '../lists/first-index-after.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import type { MessageOutbox, OutboxItem } from './message-outbox.ts'
import { askedRefs, channelsFor, tenantChannels } from './message-recipients.ts'
import { noticeMessage, topicOf } from './notice-message.ts'

/** How long sending a notice is attempted, not counting quiet hours. */
const NOTICE_MS = DAY_MS
/** How often to check for channels. The log isn't followed until there is one, possibly added by another node. */
const LOOK_FOR_CHANNELS_MS = 2_000
/** How often the cursor is saved when it passes entries without recipients. */
const PASS_EVERY_MS = 30_000
/** Clocks of nodes differ by less than this. */
const CLOCKS_MS = MINUTE_MS
/** How many of an agent's tokens are read at a time. */
const TOKENS_READ = 1_000
/** A notice about an agent reaches at most this many of the people that it acts for, those with the newest tokens. */
const MOST_PEOPLE = 1_000
/** The events that people may be notified of. */
const TOLD_TYPES = new Set(EVENT_TYPES.filter((type) => topicOf(type) !== undefined))

export interface SourceOptions {
  readonly context: OperationContext
  readonly outbox: MessageOutbox
  /** Called if an item waits for a channel. The same item may be passed again. */
  onItem(channel_id: string, item: OutboxItem): void
  /** Called for a question that may need to be escalated. */
  onQuestion(approval: StoredApproval): Promise<void>
}

export class MessageSource {
  readonly #options: SourceOptions
  #followed: FeedSubscription | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #looked_ms = Number.NEGATIVE_INFINITY
  #passed_ms = 0
  #saved: number | undefined

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Starts following the log once there is a channel, and again after a failure. */
  async runOnce(): Promise<void> {
    if (this.#followed === undefined) await this.#begin()
    else await this.#passOn(this.#followed)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#followed?.close()
    await this.#running
  }

  async #begin(): Promise<void> {
    const { context, outbox, onItem } = this.#options
    if (context.clock() - this.#looked_ms < LOOK_FOR_CHANNELS_MS || this.#isClosed) return
    this.#looked_ms = context.clock()
    if (!(await hasConfirmedChannel(context.reader.registry))) return
    const from = (await outbox.cursor()) ?? (await firstIndexAfter(context.clock() - NOTICE_MS, context))
    for (const { channel_id, item } of await outbox.waiting()) onItem(channel_id, item)
    await this.#takeUpQuestions()
    const interest = { subscriber: { role: 'local' }, filter: { types: TOLD_TYPES } } as const
    this.#followed = context.events.feed.subscribe({ from, interest })
    this.#running = this.#follow(this.#followed)
  }

  /** Takes up all open questions. They wait longer than notices, and would be missed if the cursor is lost. */
  async #takeUpQuestions(): Promise<void> {
    const { reader, clock, approval_ttl_ms } = this.#options.context
    const now_ms = clock()
    const pending = { ...EVERY_RECORD, state: 'pending', from_ms: now_ms - approval_ttl_ms } as const
    for await (const approval of eachEntry((page) => reader.approvals(pending, page, now_ms)))
      await this.#takeQuestion(approval)
  }

  /** Follows the log. Never rejects: after a failure, the log is followed again from the cursor. */
  async #follow(subscription: FeedSubscription): Promise<void> {
    const { outbox, context } = this.#options
    try {
      for await (const { changes, next } of subscription) {
        for (const change of changes) await this.#take(change)
        // A crash before this line leaves rows that the next reader adds again, without effect.
        await outbox.saveCursor(next)
        this.#saved = next
      }
    } catch (cause) {
      context.onNotice(`messages are delayed: ${cause}`, {})
    } finally {
      this.#followed = undefined
    }
  }

  async #passOn({ passed }: FeedSubscription): Promise<void> {
    const now_ms = this.#options.context.clock()
    if (passed === undefined || passed === this.#saved || now_ms - this.#passed_ms < PASS_EVERY_MS) return
    this.#passed_ms = now_ms
    await this.#options.outbox.saveCursor(passed)
    this.#saved = passed
  }

  /** Takes a change. An unavailable store stops the reader. Other failures would recur, so the change is skipped. */
  async #take(change: LoggedChange): Promise<void> {
    try {
      await this.#takeChange(change)
    } catch (cause) {
      if (cause instanceof StoreError) throw cause
      this.#options.context.onNotice(`message not prepared: ${cause}`, {
        log_index: String(change.log_index),
      })
    }
  }

  async #takeChange(change: LoggedChange): Promise<void> {
    const { context } = this.#options
    const { approval_id, to } = { approval_id: undefined, to: undefined, ...change.leaf }
    if (typeof approval_id !== 'string') return this.#takeNotice(change)
    const approval = await context.reader.approval(approval_id)
    if (approval === undefined || currentState(approval, context.clock()) !== 'pending') return
    if (change.type !== 'approval.escalated') return this.#takeQuestion(approval)
    if (!Array.isArray(to)) return
    const channels = await channelsFor(tenantOf(approval.agent_id), to, 'questions', context)
    await this.#keep(channels, {
      ...itemOf(approval),
      id: `${approval_id} escalated`,
      is_escalated: true,
    })
  }

  /** Takes up an approval request, unless a habit or a grant has answered it in the same commit. */
  async #takeQuestion(approval: StoredApproval): Promise<void> {
    const { context, onQuestion } = this.#options
    if (currentState(approval, context.clock()) !== 'pending') return
    const tenant_id = tenantOf(approval.agent_id)
    const refs = await askedRefs(approval, context)
    await this.#keep(
      [
        ...(await channelsFor(tenant_id, refs, 'questions', context)),
        ...(await tenantChannels(tenant_id, 'questions', context)),
      ],
      itemOf(approval),
    )
    await onQuestion(approval)
  }

  async #takeNotice(change: LoggedChange): Promise<void> {
    const { context } = this.#options
    const { audience, agent_id, log_index } = change
    const { tenant_id } = audience
    const topic = topicOf(change.type)
    const event = await change.event()
    if (topic === undefined || tenant_id === undefined) return
    const message = noticeMessage(event, { public_url: context.public_url(), tenant_id })
    if (message === undefined) return
    const at_ms = Date.parse(event.occurred_at)
    if (at_ms + NOTICE_MS <= context.clock()) return
    const human_refs = [...audience.human_refs, ...(await this.#peopleOf(agent_id))]
    await this.#keep(
      [
        ...(await channelsFor(tenant_id, human_refs, topic, context)),
        ...(await tenantChannels(tenant_id, topic, context)),
      ],
      { id: event.id, at_ms, ends_at_ms: at_ms + NOTICE_MS, log_index, is_urgent: message.is_urgent },
    )
  }

  /** Returns the people for whom an agent holds a token in force. */
  async #peopleOf(agent_id: string | undefined): Promise<string[]> {
    if (agent_id === undefined) return []
    const { reader, clock } = this.#options.context
    const now_ms = clock()
    const people = new Set<string>()
    for await (const human_ref of eachEntry(({ before }) =>
      reader.peopleOfAgent(agent_id, now_ms, { limit: TOKENS_READ, before }),
    )) {
      people.add(human_ref)
      if (people.size === MOST_PEOPLE) break
    }
    return [...people]
  }

  /** Stores an item for channels. A channel carries only what happened after it was added. */
  async #keep(channels: readonly KnownChannel[], item: OutboxItem): Promise<void> {
    const { outbox, onItem } = this.#options
    for (const channel of channels) {
      const { channel_id, document } = channel
      if (item.at_ms < Date.parse(document.created_at) - CLOCKS_MS) continue
      const kept = await this.#untilAfterQuietHours(channel, item)
      if (await outbox.keep(channel_id, kept)) onItem(channel_id, kept)
    }
  }

  /** Returns an item that quiet hours don't outlast. A question ends when it expires. */
  async #untilAfterQuietHours(channel: KnownChannel, item: OutboxItem): Promise<OutboxItem> {
    if (item.approval_id !== undefined) return item
    const { settings } = await settingsOf(channel, this.#options.context.reader.registry)
    return { ...item, ends_at_ms: quietRunEnd(settings.quiet_hours, item.at_ms) + NOTICE_MS }
  }
}

function itemOf({ approval_id, created_at_ms, expires_at_ms }: StoredApproval): OutboxItem {
  return { id: approval_id, approval_id, at_ms: created_at_ms, ends_at_ms: expires_at_ms }
}
