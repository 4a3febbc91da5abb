import { LOCAL_HOSTS } from '../../loopback.ts'
import { isListOfTexts, type JsonMembers, jsonMembers } from '../providers-file.ts'

/** Reads the members of one entry of the providers file. Each mistake is reported once, and reading continues. */
export interface EntryReader {
  /** Returns a text that matches `form`. `must` completes "<name> must …". Required unless `otherwise` is given. */
  text(name: string, form: RegExp, must: string, otherwise?: string): string
  /** Returns the content of the file that a member names, without surrounding white space. Required. */
  secret(name: string): string
  /** Like `secret`, but may be absent. */
  optionalSecret(name: string): string | undefined
  /** An https address (http only on this machine) without query or trailing slash. Required without `otherwise`. */
  url(name: string, otherwise?: string): string
  oneOf<const T extends readonly string[]>(name: string, values: T, otherwise?: T[number]): T[number]
  integer(name: string, otherwise: number, least: number, most: number): number
  flag(name: string): boolean
  strings(name: string, otherwise: readonly string[]): readonly string[]
  /** Returns the members of an object of texts, such as a map of statuses. Required unless `otherwise` is given. */
  texts(name: string, otherwise?: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** Returns any JSON object, such as a body template. Empty by default. */
  json(name: string): JsonMembers
  has(name: string): boolean
  /** Reports a mistake that concerns several members. */
  say(problem: string): void
  /** Reports the members of the entry that were never read. Must be called after all others were. */
  refuseUnread(): void
}

const MAX_SECRET_CHARS = 4096

/** `secretOf` reads a secret file, or throws. */
export function entryReader(
  entry: JsonMembers,
  secretOf: (file: string) => string,
  say: (problem: string) => void,
): EntryReader {
  const read = new Set<string>()
  const memberOf = (name: string): unknown => {
    read.add(name)
    return entry[name]
  }

  function text(name: string, form: RegExp, must: string, otherwise?: string): string {
    const value = memberOf(name)
    if (value === undefined && otherwise !== undefined) return otherwise
    if (typeof value === 'string' && form.test(value)) return value
    say(`${name} must ${must}.`)
    return ''
  }

  function secret(name: string): string {
    const file = text(name, /./, 'be the path of a file with the secret')
    if (file === '') return ''
    try {
      const content = secretOf(file).trim()
      if (content !== '' && content.length <= MAX_SECRET_CHARS) return content
      say(`${name} ${file} must contain the secret and nothing else.`)
    } catch (error) {
      say(`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`)
    }
    return ''
  }

  return {
    text,
    secret,
    optionalSecret: (name) => (memberOf(name) === undefined ? undefined : secret(name)),
    url(name, otherwise) {
      const value = text(name, /./, 'be an https address', otherwise)
      if (value !== '' && !isServiceAddress(value))
        say(`${name} must be an https address without a query or a trailing slash.`)
      return value
    },
    oneOf(name, values, otherwise) {
      const value = memberOf(name) ?? otherwise
      const found = values.find((one) => one === value)
      if (found === undefined) say(`${name} must be one of ${values.join(', ')}.`)
      return found ?? values[0] ?? ''
    },
    integer(name, otherwise, least, most) {
      const value = memberOf(name) ?? otherwise
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most)
        return value
      say(`${name} must be an integer from ${least} to ${most}.`)
      return otherwise
    },
    flag(name) {
      const value = memberOf(name) ?? false
      if (typeof value !== 'boolean') say(`${name} must be true or false.`)
      return value === true
    },
    strings(name, otherwise) {
      const value = memberOf(name)
      if (value === undefined) return otherwise
      if (isListOfTexts(value)) return value
      say(`${name} must be a list of strings.`)
      return otherwise
    },
    texts(name, otherwise) {
      const value = memberOf(name)
      if (value === undefined && otherwise !== undefined) return otherwise
      const members = jsonMembers(value)
      if (members !== undefined && isTextMap(members)) return members
      say(`${name} must be an object whose members are strings.`)
      return {}
    },
    json(name) {
      const value = memberOf(name) ?? {}
      const members = jsonMembers(value)
      if (members === undefined) say(`${name} must be a JSON object.`)
      return members ?? {}
    },
    has: (name) => entry[name] !== undefined,
    say,
    refuseUnread() {
      for (const name of Object.keys(entry))
        if (!read.has(name)) say(`Unknown member "${name}". The members are ${[...read].join(', ')}.`)
    },
  }
}

function isTextMap(members: JsonMembers): members is Readonly<Record<string, string>> {
  return Object.values(members).every((one) => typeof one === 'string')
}

/** Plain http is for a provider on this machine, in development. The outbound client decides whether it is called. */
function isServiceAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || /[?#\s\\]|\/$/.test(text)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname))
}
