import type { RenderedMail } from './render/mail.ts'

export interface MailerOptions {
  readonly host: string
  readonly port: number
  readonly is_implicit_tls: boolean
  /** Whether the server must switch to TLS before anything is sent to it. */
  readonly requires_tls: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
  /** Certificate authorities in addition to the system's. */
  readonly ca?: string
  /** How long one mail may take in all. */
  readonly longest_ms?: number
}

export interface OutgoingMail extends RenderedMail {
  readonly to: string
  /** The same for every attempt. */
  readonly message_id: string
  /** Ends these emails with one POST (RFC 8058). Undefined for a mail that a person just requested. */
  readonly unsubscribe_url: string | undefined
}

/** The outcome of a message. `again`: a later attempt may succeed. `gone`: this address accepts no more messages. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'again'; readonly why: string; readonly after_ms?: number }
  | { readonly kind: 'gone'; readonly why: string }

/** Never rejects. */
export type Mailer = (mail: OutgoingMail) => Promise<SendOutcome>

/** How long the server may be silent. */
const TIMEOUT_MS = 15_000
/** How long one mail may take in all: less than the claim on its channel, so that no other node sends the same message. */
const LONGEST_MS = 45_000
/** Pause before the next attempt after a recipient was permanently refused. */
const REFUSED_PAUSE_MS = 30 * 60_000

/** Sends mail through the one server that the operator configured. */
export function openMailer(options: MailerOptions): Mailer {
  const {
    host,
    port,
    is_implicit_tls,
    requires_tls,
    user,
    password,
    from,
    ca,
    longest_ms = LONGEST_MS,
  } = options
  const server = {
    host,
    port,
    secure: is_implicit_tls,
    requireTLS: requires_tls,
    // A server on this machine is used without TLS, whatever certificate it made for itself.
    ignoreTLS: !requires_tls,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  // Created with the first mail: loading the library would delay the start of a service that sends none.
  const transport = once(async () => (await import('nodemailer')).createTransport(server))
  return async ({ to, message_id, subject, text, html, unsubscribe_url }) => {
    try {
      const sending = (await transport()).sendMail({
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
      // A server that answers each command late, or never ends an answer, may accept the mail later. The next attempt has
      // the same Message-ID.
      await within(sending, longest_ms)
      return { kind: 'sent' }
    } catch (error) {
      return outcomeOf(error)
    }
  }
}

/** Waits for at most `longest_ms`. */
function within<T>(work: Promise<T>, longest_ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })),
    longest_ms,
  )
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** What the codes of nodemailer mean, for the people who see why a message did not arrive. */
const TROUBLES: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the sign-in',
  ECONNECTION: 'connection to the mail server failed',
  EDNS: 'the host name of the mail server does not resolve',
  ESOCKET: 'connection to the mail server failed',
  ETIMEDOUT: 'the mail server did not respond in time',
  ETLS: 'no secure connection to the mail server could be made',
}

interface MailFailure {
  readonly code?: string
  readonly responseCode?: number
  readonly command?: string
}

/**
 * Returns the outcome of a failure, which never ends a channel. A refused recipient may be a full mailbox, or a
 * misconfigured server that relays for no one: then every address would be lost. It is only retried less often.
 */
function outcomeOf(error: unknown): SendOutcome {
  const { responseCode = 0, command = '', code = '' } = error as MailFailure // nodemailer adds these members
  if (responseCode === 0) return { kind: 'again', why: TROUBLES[code] ?? 'the mail server cannot be used' }
  if (command === 'RCPT TO' && responseCode >= 500)
    return {
      kind: 'again',
      why: `the mail server refused the address with ${responseCode}`,
      after_ms: REFUSED_PAUSE_MS,
    }
  return { kind: 'again', why: `the mail server answered ${responseCode}` }
}
