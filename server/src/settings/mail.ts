import { isLocalName } from './addresses.ts'
import type { SettingsReader } from './settings-reader.ts'

export interface MailConfig {
  readonly host: string
  readonly port: number
  /** Whether TLS begins with the connection. Otherwise it begins with STARTTLS. */
  readonly is_implicit_tls: boolean
  /** False only for a server on this machine. */
  readonly requires_tls: boolean
  readonly user: string | undefined
  readonly password_file: string | undefined
  readonly from: string
}

const MAIL_ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/

/** The password comes from a file, because server addresses are printed and passwords must not be. */
export function mailSettings(settings: SettingsReader): MailConfig | undefined {
  const text = settings.text('DEPUTY_SMTP_URL')
  const password_file = settings.path('DEPUTY_SMTP_PASSWORD_FILE')
  const from = settings.text('DEPUTY_MAIL_FROM') ?? ''
  if (text === undefined) {
    for (const name of ['DEPUTY_SMTP_PASSWORD_FILE', 'DEPUTY_MAIL_FROM'] as const)
      if (settings.text(name) !== undefined)
        settings.refuse(`${name} has no effect without a mail server. Set DEPUTY_SMTP_URL too.`)
    return undefined
  }
  const url = URL.parse(text)
  const isMail = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  if (!isMail || url.hostname === '' || url.password !== '' || !['', '/'].includes(url.pathname)) {
    settings.refuse(
      'DEPUTY_SMTP_URL must have the form smtps://user@mail.example.com:465, or smtp:// for STARTTLS. The password belongs in the file that DEPUTY_SMTP_PASSWORD_FILE names.',
    )
    return undefined
  }
  if (!MAIL_ADDRESS.test(from))
    settings.refuse('DEPUTY_SMTP_URL needs DEPUTY_MAIL_FROM: the address that emails come from.')
  if ((url.username === '') !== (password_file === undefined))
    settings.refuse('DEPUTY_SMTP_URL with a user needs DEPUTY_SMTP_PASSWORD_FILE, and the file needs a user.')
  const is_implicit_tls = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (is_implicit_tls ? 465 : 587) : Number(url.port),
    is_implicit_tls,
    requires_tls: !isLocalName(url.hostname.toLowerCase()),
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password_file,
    from,
  }
}
