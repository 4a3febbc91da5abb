/** Settings of keys that several kinds of providers share. */
import type { EntryReader } from './entry-reader.ts'

/** Returns the secret in `<name>_file` and, during a rotation, the previous one in `previous_<name>_file`. */
export function rotatedSecrets(entry: EntryReader, name: string): readonly [string, ...string[]] {
  const current = entry.secret(`${name}_file`)
  const previous = entry.optionalSecret(`previous_${name}_file`)
  return previous === undefined ? [current] : [current, previous]
}

/** Returns a secret that is sent in a header, so it must be one line of printable characters. */
export function headerSecret(entry: EntryReader, name: string): string {
  const secret = entry.secret(name)
  if (secret === '' || /^[\x20-\x7e]+$/.test(secret)) return secret
  entry.say(`${name} must hold one line of printable characters.`)
  return ''
}

/** Whether the entry sets `test_mode`, which must agree with its key: a provider verifies no one under a test key. */
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
