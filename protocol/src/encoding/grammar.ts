import { JSON_POINTER } from './json-pointer.ts'
import { isUsd } from './money.ts'
import { hasOneScript } from './scripts.ts'
import { isTextPattern, MAX_PATTERN_LENGTH } from './text-pattern.ts'
import { isTimeZone, MAX_TIME_ZONE_LENGTH } from './time-zone.ts'

/** Printable characters: no blanks, no control or format characters, and no characters of the grammar. */
const NAMESPACE = /^[^\p{C}\p{Z}:*]+$/u
const NAME = /^[^\p{C}\p{Z}*]+$/u
/** Single blanks are allowed between other characters. */
const ACTION = /^[^\p{C}\p{Z}*]+(?: [^\p{C}\p{Z}*]+)*$/u
const WORD_CLASS = '[\\p{L}\\p{M}\\p{Nd}._@+/-]'
const WORD = `${WORD_CLASS}+`
const AGENT_ID = new RegExp(`^${WORD}(?: ${WORD})*$`, 'u')
const RESULT = new RegExp(`^\\p{L}${WORD_CLASS}*(?: ${WORD})*$`, 'u')
const DIGEST = /^sha256:[0-9a-f]{64}$/
const RESULT_HASH = /^sha256:[0-9A-Fa-f]{1,64}$/
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u
const BEYOND_ASCII = /[^\x20-\x7e]/gu
const BEYOND_ASCII_ONCE = /[^\x20-\x7e]/u
/** These names cannot be addressed: programs resolve them as parts of a path. */
const DOTS = /^\.{1,2}$/
const EMAIL_LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}$/
const EMAIL_DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

const HOUR = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/

const MAX_RESOURCE_BYTES = 200
const MAX_ACTION_LENGTH = 128
const MAX_AGENT_ID_LENGTH = 128
const MAX_RESULT_LENGTH = 64
const MAX_EMAIL_LENGTH = 254

/** One concrete resource: `<namespace>:<name>`. The first colon splits; the name may contain more. */
export function isResource(text: string): boolean {
  if (!isBoundedText(text)) return false
  const colon = text.indexOf(':')
  return colon > 0 && NAMESPACE.test(text.slice(0, colon)) && NAME.test(text.slice(colon + 1))
}

/** A resource, or the only pattern that exists: `<namespace>:*`. */
export function isResourcePattern(text: string): boolean {
  if (!text.endsWith(':*')) return isResource(text)
  return isBoundedText(text) && NAMESPACE.test(text.slice(0, -2))
}

export function isAction(text: string): boolean {
  return text.length <= MAX_ACTION_LENGTH && ACTION.test(text) && isNormal(text)
}

/** A name for a new agent, without the `agent:` prefix of stored names. Letters of one script, so names cannot imitate each other. */
export function isAgentId(text: string): boolean {
  return isAgentName(text) && !DOTS.test(text)
}

const AGENT_PREFIX = 'agent:'

/** A person's digest, or an existing agent with the `agent:` prefix. */
function isTrustSubject(text: string): boolean {
  return DIGEST.test(text) || (text.startsWith(AGENT_PREFIX) && isAgentRef(text))
}

function isAgentRef(text: string): boolean {
  return isAgentName(withoutAgentPrefix(text))
}

/** The name of an agent without the prefix that answers show. */
export function withoutAgentPrefix(text: string): string {
  return text.startsWith(AGENT_PREFIX) ? text.slice(AGENT_PREFIX.length) : text
}

function isAgentName(text: string): boolean {
  return text.length <= MAX_AGENT_ID_LENGTH && AGENT_ID.test(text) && isDistinct(text)
}

function isResult(text: string): boolean {
  return text.length <= MAX_RESULT_LENGTH && RESULT.test(text) && isDistinct(text)
}

/** Whether a name shows what it is: in normal form, in one script, without invisible characters or copies of ASCII ones. */
function isDistinct(text: string): boolean {
  if (!BEYOND_ASCII_ONCE.test(text)) return true // most names, in a fraction of the time
  return isNormal(text) && hasOneScript(text) && !UNSEEN.test(text) && !imitatesAscii(text)
}

/** Full-width, mathematical, superscript and similar forms of ASCII characters, which look alike in many fonts. */
function imitatesAscii(text: string): boolean {
  const copies = text.match(BEYOND_ASCII) ?? []
  return copies.some((character) => !BEYOND_ASCII_ONCE.test(character.normalize('NFKC')))
}

/** An action, or `*` for every action. */
function isActionOrAny(text: string): boolean {
  return text === '*' || isAction(text)
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

function isBoundedText(text: string): boolean {
  return text.length <= MAX_RESOURCE_BYTES && Buffer.byteLength(text) <= MAX_RESOURCE_BYTES && isNormal(text)
}

function isNormal(text: string): boolean {
  return !BEYOND_ASCII_ONCE.test(text) || text === text.normalize('NFC')
}

interface TextFormat {
  check(text: string): boolean
  /** The message for the caller if a value doesn't fit. */
  says: string
  /**
   * The format in the OpenAPI document. It admits every value that `check` accepts; field descriptions state what a
   * pattern can't express (bytes, normal forms, time zones that exist).
   */
  documented: { readonly pattern: string; readonly minLength?: number; readonly maxLength?: number }
}

const NAMESPACE_CLASS = '[^\\p{C}\\p{Z}:*]'
const NAME_CLASS = '[^\\p{C}\\p{Z}*]'
const LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d'

/** An agent's name other than `.` and `..`, without a look-ahead, which many validators lack. */
const NOT_DOT = WORD_CLASS.replace('.', '')
const NEW_AGENT_ID = `^(?:${NOT_DOT}|\\.${NOT_DOT}|\\.\\.${WORD_CLASS}|\\.{1,2} ${WORD_CLASS})${WORD_CLASS}*(?: ${WORD})*$`

/** String formats used in the schemas. */
export const TEXT_FORMATS = {
  resource: {
    check: isResource,
    says: 'must be one resource of the form <namespace>:<name>, such as calendar:events, without blanks or *',
    documented: { pattern: `^${NAMESPACE_CLASS}+:${NAME_CLASS}+$`, maxLength: MAX_RESOURCE_BYTES },
  },
  'resource-pattern': {
    check: isResourcePattern,
    says: 'must be a resource of the form <namespace>:<name>, such as calendar:events, or <namespace>:* for every name of a namespace',
    documented: { pattern: `^${NAMESPACE_CLASS}+:(?:\\*|${NAME_CLASS}+)$`, maxLength: MAX_RESOURCE_BYTES },
  },
  action: {
    check: isAction,
    says: 'must be an action verb of 1 to 128 printable characters, such as read, without * and with single spaces only inside',
    documented: { pattern: ACTION.source, maxLength: MAX_ACTION_LENGTH },
  },
  'action-or-any': {
    check: isActionOrAny,
    says: 'must be an action verb of 1 to 128 printable characters, such as read, or * for every action',
    documented: { pattern: `^\\*$|${ACTION.source}`, maxLength: MAX_ACTION_LENGTH },
  },
  'agent-id': {
    check: isAgentId,
    says: 'must be an agent name of 1 to 128 letters of one script, digits, . _ @ + / - and single inner spaces, and not . or ..; the service itself adds the agent: prefix',
    documented: { pattern: NEW_AGENT_ID, maxLength: MAX_AGENT_ID_LENGTH },
  },
  'agent-ref': {
    check: isAgentRef,
    says: 'must be the name of an agent, such as calendar-bot or agent:calendar-bot',
    documented: {
      pattern: `^(?:agent:)?${AGENT_ID.source.slice(1)}`,
      maxLength: AGENT_PREFIX.length + MAX_AGENT_ID_LENGTH,
    },
  },
  'trust-subject': {
    check: isTrustSubject,
    says: 'must be a human_ref (sha256: followed by 64 lower-case hexadecimal digits) or an agent with its prefix, such as agent:calendar-bot',
    documented: {
      pattern: `^(?:sha256:[0-9a-f]{64}|agent:${AGENT_ID.source.slice(1, -1)})$`,
      maxLength: AGENT_PREFIX.length + MAX_AGENT_ID_LENGTH,
    },
  },
  result: {
    check: isResult,
    says: 'must be an outcome word such as success or error: a letter, then up to 63 letters of the same script, digits, . _ @ + / - and single inner spaces',
    documented: { pattern: RESULT.source, maxLength: MAX_RESULT_LENGTH },
  },
  'sha256-digest': {
    check: (text: string) => DIGEST.test(text),
    says: 'must be sha256: followed by 64 lower-case hexadecimal digits',
    documented: { pattern: DIGEST.source },
  },
  'result-hash': {
    check: (text: string) => RESULT_HASH.test(text),
    says: 'must be sha256: followed by 1 to 64 hexadecimal digits',
    documented: { pattern: RESULT_HASH.source },
  },
  'json-pointer': {
    check: (text: string) => JSON_POINTER.test(text),
    says: 'must be a JSON pointer to a member of metadata, such as /amount or /to/0',
    documented: { pattern: JSON_POINTER.source, maxLength: 256 },
  },
  'text-pattern': {
    check: isTextPattern,
    says: `must be a pattern of at most ${MAX_PATTERN_LENGTH} characters: literal text, * for any run of characters, ? for one, [a-z] or [!a-z] for one of a set, [0-9]+ for one or more of a set; write \\ before one of these characters to mean itself`,
    documented: { pattern: '.', maxLength: MAX_PATTERN_LENGTH },
  },
  email: {
    check: isEmail,
    says: 'must be an email address, such as dev@example.com',
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
