import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '../config.ts'
import { openMailer } from '../messages/mailer.ts'
import { type Messenger, openMessenger } from '../messages/messenger.ts'
import { vapidKey } from '../messages/push/vapid.ts'
import { SafetyOutbox } from '../operations/verification/duress/safety-outbox.ts'
import { outbound } from '../outbound/outbound.ts'
import { readWebhookSecret, safetyChannel } from '../verification/safety-channel.ts'
import type { Parts } from './parts.ts'

/** Opens the outbox of alerts about coercion. Without an address for them, only the safety desk reads them. */
export function safetyOutbox(
  { safety, public_url }: Config,
  { deployment, clock }: Parts,
): SafetyOutbox | undefined {
  if (safety === undefined) return undefined
  const secret = readWebhookSecret(secretText(safety.secret_file))
  if (secret === undefined)
    throw new ConfigError([
      `DEPUTY_SAFETY_SECRET_FILE: ${safety.secret_file} must be a file with whsec_ and 24 to 64 random bytes in base64.`,
    ])
  // A receiver on this machine is for development, as with verification providers.
  const allow_loopback = public_url.startsWith('http:') && safety.url.startsWith('http:')
  const { reader, ephemeral } = deployment
  const channel = safetyChannel(safety.url, secret, outbound({ allow_loopback }))
  return new SafetyOutbox({ registry: reader.registry, ephemeral, clock, channel })
}

/** Opens the messenger. A receiver on this machine is for development, as with verification providers. */
export function messengerOf(
  { mail, outbound_allow, public_url: configured }: Config,
  { deployment, clock }: Parts,
  public_url: () => string,
): Messenger {
  const contact = () => (mail === undefined ? public_url() : `mailto:${mail.from}`)
  const derive = (label: string) =>
    Buffer.from(deployment.keys.digest('vapid', label).slice('sha256:'.length), 'hex')
  return openMessenger({
    mailer: mail && openMailer({ ...mail, password: mail.password_file && passwordIn(mail.password_file) }),
    call: outbound({
      allow_loopback: configured.startsWith('http:'),
      allowlist: outbound_allow,
      on_large: 'cut', // only the status counts: a failure would send an accepted message again
    }),
    vapid: vapidKey(derive),
    contact,
    clock,
  })
}

function passwordIn(file: string): string {
  const password = secretText(file).trim()
  if (password === '')
    throw new ConfigError([
      `DEPUTY_SMTP_PASSWORD_FILE: ${file} must be a file with the password of the mail server.`,
    ])
  return password
}

function secretText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
