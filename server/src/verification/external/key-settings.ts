/** What the entries of several kinds of providers have in common about their keys. */
import type { EntryReader } from './entry-reader.ts'

/** The secret in `<name>_file`; while it is rotated, also the one before it, in `previous_<name>_file`. */
export function rotatedSecrets(entry: EntryReader, name: string): readonly [string, ...string[]] {
  const current = entry.secret(`${name}_file`)
  const previous = entry.optionalSecret(`previous_${name}_file`)
  return previous === undefined ? [current] : [current, previous]
}

/** A secret that is sent in a header, so it is one line of printable characters. */
export function headerSecret(entry: EntryReader, name: string): string {
  const secret = entry.secret(name)
  if (secret === '' || /^[\x20-\x7e]+$/.test(secret)) return secret
  entry.say(`${name} must hold one line of printable characters.`)
  return ''
}

/** Whether the entry says `test_mode`, which its key must agree with: a provider verifies nobody under a test key. */
export function testMode(entry: EntryReader, name: string, key: string, test_key: RegExp): boolean {
  const isTest = entry.flag('test_mode')
  if (key !== '' && test_key.test(key) !== isTest)
    entry.say(
      isTest
        ? `${name} holds a live key. Remove "test_mode".`
        : `${name} holds a test key, which does not verify people. Use a live key, or set "test_mode" to true.`,
    )
  return isTest
}
