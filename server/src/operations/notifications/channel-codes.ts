/** Codes that prove the ownership of an e-mail address. */
import { hash, randomInt, timingSafeEqual } from 'node:crypto'
import { AuthorityError } from '@deputize/protocol'
import { MINUTE_MS } from '../../domain/time.ts'
import type { ChannelTarget, KnownChannel } from '../../messages/channel.ts'
import type { Message } from '../../messages/message.ts'
import type { OperationContext } from '../operation-context.ts'

const CODE_MS = 15 * MINUTE_MS
const MOST_ATTEMPTS = 5
/** So that nobody's mailbox is filled from here. */
const MOST_CODES = 5

type ChannelName = Pick<KnownChannel, 'channel_id' | 'tenant_id' | 'owner'>

interface KeptCode {
  readonly digest: string
  readonly attempts: number
}

/** Sends a code to the address. The answer does not wait for the mailbox, only for the mail server. */
export async function sendCode(
  channel: ChannelName,
  target: ChannelTarget,
  context: OperationContext,
): Promise<void> {
  const { ephemeral, messenger, public_url } = context
  const owner = codeOwner(channel)
  if ((await ephemeral.ofOwner('channel_code', owner)).length >= MOST_CODES)
    throw new AuthorityError(
      'too_many_channels',
      `${MOST_CODES} codes were sent in the last 15 minutes. Wait a while.`,
    )
  const code = String(randomInt(10 ** 8)).padStart(8, '0')
  await keepCode(channel, code, context)
  const { channel_id } = channel
  const outcome = await messenger.send(target, codeMessage(channel_id, code, public_url()), undefined)
  if (outcome.kind === 'sent') return
  throw new AuthorityError('channel_unavailable', `The code could not be sent: ${outcome.why}.`, {
    reason: 'not_sent',
  })
}

/** Only the digest is kept. */
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

function codeMessage(channel_id: string, code: string, public_url: string): Message {
  return {
    message_id: `${channel_id}.code`,
    title: 'Confirm your e-mail address',
    facts: [{ label: 'Code', value: code }],
    notes: ['Enter it where you added this address, within 15 minutes. If you did not, ignore this e-mail.'],
    link: { label: 'Open Deputy', url: `${public_url}/me` },
    topic: channel_id,
    is_urgent: false,
  }
}

/** Uses up one attempt. Of several guesses at once, one is looked at. */
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
  // A crash before this line leaves no code, and the person asks for a new one.
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
