/** Codes that prove ownership of an email address. */
import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { AuthorityError, DEFAULT_TENANT } from '@deputize/protocol'
import { emailRef } from '../../access/human-ref.ts'
import { MINUTE_MS } from '../../domain/times/time.ts'
import type { ChannelTarget, KnownChannel } from '../../messages/channel.ts'
import type { Message } from '../../messages/message.ts'
import { personPath } from '../../messages/question-message.ts'
import type { OperationContext } from '../operation-context.ts'

const CODE_MS = 15 * MINUTE_MS
const MOST_ATTEMPTS = 5
/** Limit per owner, and per address, within `CODE_MS`. Keeps callers from filling someone's mailbox. */
const MOST_CODES = 5

type EmailTarget = Extract<ChannelTarget, { kind: 'email' }>
type ChannelName = Pick<KnownChannel, 'channel_id' | 'tenant_id' | 'owner'>

interface KeptCode {
  readonly digest: string
  readonly attempts: number
}

/** Sends a code to the address. Waits for the mail server to accept it, not for the mailbox. */
export async function sendCode(
  channel: ChannelName,
  target: EmailTarget,
  context: OperationContext,
): Promise<void> {
  const { keys, messenger, public_url } = context
  // The owner first: an owner that has reached its limit doesn't use up the address's limit.
  const isFree =
    (await claimSend(codeOwner(channel), context)) &&
    (await claimSend(emailRef(keys, DEFAULT_TENANT, target.address), context))
  if (!isFree)
    throw new AuthorityError(
      'rate_limited',
      'Five codes were sent in the last 15 minutes. Try again after Retry-After.',
      { retry_after_s: CODE_MS / 1000 },
    )
  const code = String(randomInt(10 ** 8)).padStart(8, '0')
  await keepCode(channel, code, context)
  const outcome = await messenger.send(target, codeMessage(channel, code, public_url()), undefined)
  if (outcome.kind === 'sent') return
  throw new AuthorityError('channel_unavailable', `The code could not be sent: ${outcome.why}.`, {
    reason: 'not_sent',
  })
}

/**
 * Takes one of a few places, which is free again after `CODE_MS`, whatever happens to the code. Places have no owner,
 * so ending all sessions of a person frees none.
 */
async function claimSend(
  whose: string,
  { ephemeral, clock }: Pick<OperationContext, 'ephemeral' | 'clock'>,
): Promise<boolean> {
  const mark = { value: '{}', owner: undefined, expires_at_ms: clock() + CODE_MS }
  for (let place = 0; place < MOST_CODES; place += 1)
    if (await ephemeral.add('code_sent', { key: `${whose} ${place}`, ...mark })) return true
  return false
}

/** Stores a code. Only its digest is kept. */
export async function keepCode(
  channel: ChannelName,
  code: string,
  { ephemeral, clock }: Pick<OperationContext, 'ephemeral' | 'clock'>,
): Promise<void> {
  const { channel_id: key } = channel
  const value = JSON.stringify({ digest: codeDigest(key, code), attempts: 0 })
  await ephemeral.add('channel_code', {
    key,
    value,
    owner: codeOwner(channel),
    expires_at_ms: clock() + CODE_MS,
  })
}

function codeMessage({ channel_id, tenant_id }: ChannelName, code: string, public_url: string): Message {
  return {
    message_id: `${channel_id}.code`,
    title: 'Confirm your email address',
    facts: [{ label: 'Code', value: code }],
    notes: ['Enter it where you added this address, within 15 minutes. If you did not, ignore this email.'],
    link: { label: 'Open Deputy', url: `${public_url}${personPath(tenant_id)}` },
    topic: channel_id,
    is_urgent: false,
  }
}

/** Checks a code and uses up one attempt. If several guesses arrive at once, only one is checked. */
export async function assertCode(
  channel: ChannelName,
  code: string,
  context: OperationContext,
): Promise<void> {
  const { ephemeral } = context
  const { channel_id } = channel
  const entry = await ephemeral.take('channel_code', channel_id)
  if (entry === undefined) throw new AuthorityError('code_refused')
  const { digest, attempts } = JSON.parse(entry.value) as KeptCode // only `sendCode` and this function write such entries
  const given = Buffer.from(codeDigest(channel_id, code))
  if (timingSafeEqual(given, Buffer.from(digest))) return
  // A crash before this line leaves no code, and the person must request a new one.
  if (attempts + 1 < MOST_ATTEMPTS)
    await ephemeral.add('channel_code', {
      ...entry,
      value: JSON.stringify({ digest, attempts: attempts + 1 }),
    })
  throw new AuthorityError('code_refused')
}

function codeDigest(channel_id: string, code: string): string {
  return hash('sha256', `${channel_id} ${code}`, 'base64url')
}

function codeOwner({ tenant_id, owner }: ChannelName): string {
  return owner ?? `tenant:${tenant_id}`
}
