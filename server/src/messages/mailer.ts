import type { RenderedMail } from './render/mail.ts'

export interface MailerOptions {
  readonly host: string
  readonly port: number
  readonly is_implicit_tls: boolean
  /** Whether the server must begin TLS before anything is sent to it. */
  readonly requires_tls: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
  /** Authorities besides those of the system. */
  readonly ca?: string
}

export interface OutgoingMail extends RenderedMail {
  readonly to: string
  /** The same for every attempt. */
  readonly message_id: string
  /** Ends these emails with one POST (RFC 8058). Undefined for a mail that a person just asked for. */
  readonly unsubscribe_url: string | undefined
}

/** What became of a message. `again`: later it may work. `gone`: this address will not take any. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'again'; readonly why: string; readonly after_ms?: number }
  | { readonly kind: 'gone'; readonly why: string }

/** Never rejects. */
export type Mailer = (mail: OutgoingMail) => Promise<SendOutcome>

const TIMEOUT_MS = 15_000
/** The next attempt after a recipient was refused for good. */
const REFUSED_PAUSE_MS = 30 * 60_000

/** Sends mail through the one server that the operator configured. */
export function openMailer(options: MailerOptions): Mailer {
  const { host, port, is_implicit_tls, requires_tls, user, password, from, ca } = options
  const server = {
    host,
    port,
    secure: is_implicit_tls,
    requireTLS: requires_tls,
    // A server on this machine is spoken to in the clear, whatever certificate it made for itself.
    ignoreTLS: !requires_tls,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  // With the first mail: reading the library would delay the start of a service that sends none.
  const transport = once(async () => (await import('nodemailer')).createTransport(server))
  return async ({ to, message_id, subject, text, html, unsubscribe_url }) => {
    try {
      await (await transport()).sendMail({
        from: { name: 'Deputy', address: from },
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${message_id}@${from.split('@')[1] ?? 'localhost'}>`,
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribe_url !== undefined && {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      })
      return { kind: 'sent' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

interface MailFailure {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * No answer of the mail server ends a channel. A refused recipient may be a full mailbox, or a server that relays for
 * nobody because the operator set it up wrong: then every address would be lost. It is only tried less often.
 */
function outcomeOf(error: unknown): SendOutcome {
  const { responseCode = 0, command = '', code = '' } = error as MailFailure // nodemailer adds these members
  if (responseCode === 0) return { kind: 'again', why: `the mail server cannot be used (${code})` }
  if (command === 'RCPT TO' && responseCode >= 500)
    return {
      kind: 'again',
      why: `the mail server refused the address with ${responseCode}`,
      after_ms: REFUSED_PAUSE_MS,
    }
  return { kind: 'again', why: `the mail server answered ${responseCode}` }
}
