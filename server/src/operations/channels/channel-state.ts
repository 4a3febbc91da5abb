/**
 * The outcome of a channel's messages. It is in the ephemeral store, so that every node keeps the same pace and shows
 * the same outcome. If it is lost, the next attempt is made a little early.
 */
import { DAY_MS, MINUTE_MS } from '../../domain/times/time.ts'
import type { KnownChannel } from '../../messages/channel.ts'
import type { SendOutcome } from '../../messages/mailer.ts'
import { type EphemeralStore, putEphemeral } from '../../store/ephemeral.ts'
import type { OperationContext } from '../operation-context.ts'

export interface ChannelState {
  /** When the newest messages were sent, oldest first. Holds as many as the limit per hour needs. */
  readonly sent_ms: readonly number[]
  /** When the last message, or test, was sent. */
  readonly last_sent_ms?: number | undefined
  /** Failed attempts since the last message was sent. */
  readonly failures: number
  readonly not_before_ms: number
  /** The last attempt, if it failed. */
  readonly fault?: { readonly at_ms: number; readonly why: string } | undefined
  /** The newest attempts, oldest first. Entries from earlier versions have none. */
  readonly attempts?: readonly ChannelAttempt[]
}

/** An attempt to send a message or a test. */
export interface ChannelAttempt {
  readonly at_ms: number
  /** Why it failed. Undefined if the receiver accepted it. */
  readonly why?: string
}

const FRESH: ChannelState = { sent_ms: [], failures: 0, not_before_ms: 0 }
const KEPT_MS = 400 * DAY_MS
const MOST_REMEMBERED = 20
const MOST_ATTEMPTS = 20
/**
 * How long after a failed attempt the next one is made. The last pause repeats while anything waits. It is a fraction of
 * the hour for which a request is open by default, so that a request that arrives during an outage is still sent.
 */
const PAUSES_MS = [5_000, 30_000, 5 * MINUTE_MS, 15 * MINUTE_MS]
/** A receiver can't postpone the next attempt by more than this. */
const LONGEST_PAUSE_MS = DAY_MS

/** Returns the state after an attempt to send a waiting message. */
export function stateAfter(state: ChannelState, outcome: SendOutcome, now_ms: number): ChannelState {
  const attempts = attemptsAfter(state, outcome, now_ms)
  if (outcome.kind === 'sent')
    return {
      ...FRESH,
      attempts,
      sent_ms: [...state.sent_ms, now_ms].slice(-MOST_REMEMBERED),
      last_sent_ms: now_ms,
    }
  const asked_ms = outcome.kind === 'again' ? (outcome.after_ms ?? 0) : 0
  const pause_ms = Math.max(PAUSES_MS[Math.min(state.failures, PAUSES_MS.length - 1)] ?? 0, asked_ms)
  return {
    ...state,
    attempts,
    failures: state.failures + 1,
    not_before_ms: now_ms + Math.min(pause_ms, LONGEST_PAUSE_MS),
    fault: { at_ms: now_ms, why: outcome.why },
  }
}

/** Returns the state after a test, which doesn't affect waiting messages. A successful test ends their pause. */
export function stateAfterTest(state: ChannelState, outcome: SendOutcome, now_ms: number): ChannelState {
  const attempts = attemptsAfter(state, outcome, now_ms)
  if (outcome.kind !== 'sent') return { ...state, attempts, fault: { at_ms: now_ms, why: outcome.why } }
  return { ...FRESH, attempts, sent_ms: state.sent_ms, last_sent_ms: now_ms }
}

function attemptsAfter(
  { attempts = [] }: ChannelState,
  outcome: SendOutcome,
  now_ms: number,
): readonly ChannelAttempt[] {
  const attempt = { at_ms: now_ms, ...(outcome.kind !== 'sent' && { why: outcome.why }) }
  return [...attempts, attempt].slice(-MOST_ATTEMPTS)
}

export async function channelState(channel_id: string, ephemeral: EphemeralStore): Promise<ChannelState> {
  const entry = await ephemeral.get('message', stateKey(channel_id))
  return entry === undefined ? FRESH : JSON.parse(entry.value) // only `putChannelState` writes such entries
}

/** Stores the state. The entry belongs to the person, so it is removed with them. */
export async function putChannelState(
  { channel_id, owner }: Pick<KnownChannel, 'channel_id' | 'owner'>,
  state: ChannelState,
  { ephemeral, clock }: Pick<OperationContext, 'ephemeral' | 'clock'>,
): Promise<void> {
  const key = stateKey(channel_id)
  const entry = { key, value: JSON.stringify(state), owner, expires_at_ms: clock() + KEPT_MS }
  await putEphemeral(ephemeral, 'message', entry)
}

function stateKey(channel_id: string): string {
  return `${channel_id} state`
}
