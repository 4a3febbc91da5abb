import { nearestName } from '../nearest-name.ts'

/** The settings of the service, except `HOST` and `PORT`. */
export const SETTINGS = [
  'DEPUTY_DATA_DIR',
  'DEPUTY_ACCESS',
  'DEPUTY_PUBLIC_URL',
  'DEPUTY_TRUSTED_PROXIES',
  'DEPUTY_OIDC_FILE',
  'DEPUTY_IDV_FILE',
  'DEPUTY_LOG_LEVEL',
  'DEPUTY_PENDING_TTL_S',
  'DEPUTY_APPROVAL_TTL_S',
  'DEPUTY_BIOMETRIC_RETENTION_DAYS',
  'DEPUTY_VERIFICATION_RETENTION_DAYS',
  'DEPUTY_SAFETY_URL',
  'DEPUTY_SAFETY_SECRET_FILE',
  'DEPUTY_OUTBOUND_ALLOW',
  'DEPUTY_QUIET',
  'DEPUTY_SMTP_URL',
  'DEPUTY_SMTP_PASSWORD_FILE',
  'DEPUTY_MAIL_FROM',
  'DEPUTY_L3_PASSKEY',
  'DEPUTY_WIDGET_ORIGINS',
  'DEPUTY_CONSENT_FILE',
  'DEPUTY_ENGINE',
  'DEPUTY_ENGINE_DIR',
  'DEPUTY_ENGINE_PROCESSES',
  'DEPUTY_ENGINE_NETS',
  'DEPUTY_QUEUE_LIMIT',
  'DEPUTY_MAX_WAIT_MS',
  'DEPUTY_HTTP_THREADS',
  'DEPUTY_RATE_LIMIT',
  'DEPUTY_CONNECTION_LIMIT',
  'DEPUTY_ACCEPT_CLOCK',
  'DEPUTY_LOG_ORIGIN',
  'DEPUTY_CHECKPOINT_FILE',
  'DEPUTY_CHECKPOINT_INTERVAL_MS',
  'DEPUTY_WITNESSES',
  'DEPUTY_WITNESS_QUORUM',
  'DEPUTY_DATABASE_URL',
  'DEPUTY_REPLICA_URL',
  'DEPUTY_DATABASE_POOL',
  'DEPUTY_UNSAFE_DATABASE',
  'DEPUTY_MASTER_KEY_FILE',
  'DEPUTY_CLERK_HOST',
  'DEPUTY_CLERK_PORT',
] as const
export type SettingName = (typeof SETTINGS)[number] | 'HOST' | 'PORT'

/** Settings of programs that call a service. The service ignores them. */
const CALLER_SETTINGS: readonly string[] = [
  'DEPUTY_URL',
  'DEPUTY_API_KEY',
  'DEPUTY_TOKEN',
  'DEPUTY_AGENT_KEY',
  'DEPUTY_BACKUP_PASSPHRASE',
]

/** Names each variable that looks like a setting but isn't one. */
export function unknownSettings(variables: readonly string[]): string[] {
  const known: readonly string[] = SETTINGS
  return variables
    .filter((name) => name.startsWith('DEPUTY_') && !known.includes(name) && !CALLER_SETTINGS.includes(name))
    .map((name) => {
      const suggestion = suggestionFor(name, [...known, ...CALLER_SETTINGS])
      return `${name} is not a setting. ${suggestion ?? `The settings are HOST, PORT, ${known.join(', ')}.`}`
    })
}

/** Suggests the setting with nearly the same letters, or else the one with the most parts in common. */
function suggestionFor(name: string, known: readonly string[]): string | undefined {
  const parts = name.split('_').slice(1)
  const bySpelling = new Map(
    ['HOST', 'PORT', ...known].map((other) => [other.replace('DEPUTY_', '').replaceAll('_', ''), other]),
  )
  const spelled = nearestName(parts.join(''), [...bySpelling.keys()])
  if (spelled !== undefined) return `Did you mean ${bySpelling.get(spelled)}?`
  const shared = (other: string) => other.split('_').filter((part) => parts.includes(part)).length
  const [nearest] = known.toSorted((one, two) => shared(two) - shared(one) || one.length - two.length)
  return nearest === undefined || shared(nearest) === 0 ? undefined : `Did you mean ${nearest}?`
}
