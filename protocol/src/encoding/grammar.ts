import { isUsd } from './money.ts'

/** Printable characters: no blanks, no control or format characters, and no characters of the grammar. */
const NAME = /^[^\p{C}\p{Z}:*]+$/u
const ACTION = /^[^\p{C}\p{Z}*]+$/u
const AGENT_ID = /^[A-Za-z0-9._@+/-]+$/
const RESULT = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const DIGEST = /^sha256:[0-9a-f]{64}$/
const EMAIL_LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/
const EMAIL_DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

const HOUR = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/

const MAX_RESOURCE_BYTES = 200
const MAX_ACTION_LENGTH = 128
const MAX_AGENT_ID_LENGTH = 128
const MAX_EMAIL_LENGTH = 254
const MAX_TIME_ZONE_LENGTH = 64

/** One concrete resource: `<namespace>:<name>`. */
export function isResource(text: string): boolean {
  if (!isBoundedText(text)) return false
  const colon = text.indexOf(':')
  return colon > 0 && NAME.test(text.slice(0, colon)) && NAME.test(text.slice(colon + 1))
}

/** A resource, or the only pattern that exists: `<namespace>:*`. */
export function isResourcePattern(text: string): boolean {
  if (!text.endsWith(':*')) return isResource(text)
  return isBoundedText(text) && NAME.test(text.slice(0, -2))
}

export function isAction(text: string): boolean {
  return text.length <= MAX_ACTION_LENGTH && ACTION.test(text) && isNormal(text)
}

/** An agent's name as the caller writes it, without the `agent:` prefix of stored names. */
export function isAgentId(text: string): boolean {
  return text.length <= MAX_AGENT_ID_LENGTH && AGENT_ID.test(text)
}

/** Deliberately simple: one @, a printable local part, a dotted or single-label domain. */
export function isEmail(text: string): boolean {
  if (text.length > MAX_EMAIL_LENGTH) return false
  const at = text.lastIndexOf('@')
  if (at < 1 || !EMAIL_LOCAL.test(text.slice(0, at))) return false
  const labels = text.slice(at + 1).split('.')
  return labels.every((label) => label.length <= 63 && EMAIL_DOMAIN_LABEL.test(label))
}

/** An RFC 3339 instant that exists on the calendar. */
export function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text)
  if (match === null || Number.isNaN(Date.parse(text))) return false
  const [, year, month, day] = match.map(Number)
  const lastDay = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate()
  return (day ?? 0) <= lastDay
}

/** Whether the runtime knows the time zone; an unknown one could not be enforced. */
export function isTimeZone(text: string): boolean {
  if (text.length > MAX_TIME_ZONE_LENGTH) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

function isBoundedText(text: string): boolean {
  return text.length <= MAX_RESOURCE_BYTES && Buffer.byteLength(text) <= MAX_RESOURCE_BYTES && isNormal(text)
}

function isNormal(text: string): boolean {
  return text === text.normalize('NFC')
}

interface TextFormat {
  check(text: string): boolean
  /** What the caller reads when a value does not fit. */
  says: string
  /**
   * What the OpenAPI document says of the format. It admits every value that `check` accepts; the descriptions of the
   * fields name what a pattern cannot say (bytes, normal forms, time zones that exist).
   */
  documented: { readonly pattern: string; readonly minLength?: number; readonly maxLength?: number }
}

const NAME_CLASS = '[^\\p{C}\\p{Z}:*]'
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d'

/** String formats used in the schemas. */
export const TEXT_FORMATS = {
  resource: {
    check: isResource,
    says: 'must be one resource of the form <namespace>:<name>, such as calendar:events, without blanks or *',
    documented: { pattern: `^${NAME_CLASS}+:${NAME_CLASS}+$`, maxLength: MAX_RESOURCE_BYTES },
  },
  'resource-pattern': {
    check: isResourcePattern,
    says: 'must be a resource of the form <namespace>:<name>, such as calendar:events, or <namespace>:* for every name of a namespace',
    documented: { pattern: `^${NAME_CLASS}+:(?:\\*|${NAME_CLASS}+)$`, maxLength: MAX_RESOURCE_BYTES },
  },
  action: {
    check: isAction,
    says: 'must be an action verb of 1 to 128 printable characters, such as read, without blanks or *',
    documented: { pattern: '^[^\\p{C}\\p{Z}*]+$', maxLength: MAX_ACTION_LENGTH },
  },
  'agent-id': {
    check: isAgentId,
    says: 'must be an agent name of 1 to 128 letters, digits and . _ @ + / -; the service itself adds the agent: prefix',
    documented: { pattern: AGENT_ID.source, maxLength: MAX_AGENT_ID_LENGTH },
  },
  result: {
    check: (text: string) => RESULT.test(text),
    says: 'must be an outcome word such as success or error: a letter, then up to 63 letters, digits and _ . -',
    documented: { pattern: RESULT.source },
  },
  'sha256-digest': {
    check: (text: string) => DIGEST.test(text),
    says: 'must be sha256: followed by 64 lower-case hexadecimal digits',
    documented: { pattern: DIGEST.source },
  },
  email: {
    check: isEmail,
    says: 'must be an e-mail address, such as dev@example.com',
    documented: {
      pattern: `${EMAIL_LOCAL.source.slice(0, -1)}@${LABEL}(?:\\.${LABEL})*$`,
      maxLength: MAX_EMAIL_LENGTH,
    },
  },
  hour: {
    check: (text: string) => HOUR.test(text),
    says: 'must be a time of day as HH:MM, from 00:00 to 24:00',
    documented: { pattern: HOUR.source },
  },
  'time-zone': {
    check: isTimeZone,
    says: 'must be the IANA name of a time zone, such as Europe/Berlin or UTC',
    documented: { pattern: '^[A-Za-z0-9_+:/-]+$', maxLength: MAX_TIME_ZONE_LENGTH },
  },
  'date-time': {
    check: isDateTime,
    says: 'must be an ISO 8601 instant such as 2027-01-31T12:00:00Z',
    documented: {
      pattern: `^\\d{4}-\\d{2}-\\d{2}[Tt]${CLOCK}:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-]${CLOCK})$`,
    },
  },
} as const satisfies Record<string, TextFormat>

/** Number formats used in the schemas. */
export const NUMBER_FORMATS = {
  usd: {
    check: isUsd,
    says: 'must be an amount in US dollars from 0 to 1000000000 with at most 6 decimals',
  },
} as const satisfies Record<string, { check(value: number): boolean; says: string }>
