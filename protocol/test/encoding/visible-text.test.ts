import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { visibleText } from '../../src/encoding/visible-text.ts'

describe('visible text', () => {
  const shown: readonly (readonly [string, string, string])[] = [
    ['a bidirectional override', 'pay \u202Ebob', 'pay ⟨U+202E⟩bob'],
    ['an isolate', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['a zero-width space', 'al\u200bice', 'al⟨U+200B⟩ice'],
    ['a line feed', 'one\ntwo', 'one⟨U+000A⟩two'],
    ['an escape sequence', '\u001b[2Jx', '⟨U+001B⟩[2Jx'],
    ['a no-break space', 'a\u00a0b', 'a⟨U+00A0⟩b'],
    ['a filler that draws nothing', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
    ['a character outside the basic plane', 'a\u{e0041}b', 'a⟨U+E0041⟩b'],
    ['a Cyrillic letter in a Latin word', 'p\u0430ypal', 'p⟨U+0430⟩ypal'],
    ['a Cyrillic first letter', '\u0430pple', '⟨U+0430⟩pple'],
    ['a Greek letter in a Cyrillic word', '\u043e\u03bf', '\u043e⟨U+03BF⟩'],
    ['a script that is rarely written', '\u13e2\u13aa', '⟨U+13E2⟩⟨U+13AA⟩'],
    ['a pile of marks', `e${'\u0301'.repeat(6)}`, `e${'\u0301'.repeat(4)}⟨U+0301⟩⟨U+0301⟩`],
  ]
  for (const [what, given, wanted] of shown)
    test(`shows ${what} by its code point`, () => assert.equal(visibleText(given), wanted))

  test('leaves words of one script as they are', () => {
    const words =
      'agent:x may pay €5 · Zürich, naïve · Привет, мир · 東京タワー · 한국어 · שלום · नमस्ते · тест-abc'
    assert.equal(visibleText(words), words)
  })

  test('changes nothing the second time', () => {
    for (const [, given] of shown) assert.equal(visibleText(visibleText(given)), visibleText(given))
  })

  test('replaces half of a surrogate pair', () => assert.equal(visibleText('a\ud800b'), 'a\ufffdb'))
})
