import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cutText, visibleText } from '../../src/encoding/visible-text.ts'

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

  const EMOJI = {
    'a person with a profession': '👩‍🚀',
    'a family': '👨‍👩‍👧‍👦',
    'a skin tone': '👍🏽',
    'a joined emoji with skin tones': '👩🏽‍🤝‍👨🏻',
    'a selector inside a joined emoji': '🏳️‍🌈',
    'a selector at the end': '❤️',
    'a flag of letters': '🇨🇭',
    'a flag of tags': '🏴󠁧󠁢󠁳󠁣󠁴󠁿',
    'a keycap': '1️⃣',
  } as const
  for (const [what, emoji] of Object.entries(EMOJI))
    test(`leaves ${what} as it is`, () => {
      for (const text of [emoji, `Bot ${emoji}`, `${emoji}Bot`, emoji + emoji, `бот ${emoji} 東京`])
        assert.equal(visibleText(text), text)
    })

  const disguised: readonly (readonly [string, string, string])[] = [
    ['a joiner between letters', 'al\u200dice', 'al⟨U+200D⟩ice'],
    ['a joiner after an emoji', '👩\u200d', '👩⟨U+200D⟩'],
    ['a joiner between emoji that are not one', '😀\u200d😀', '😀⟨U+200D⟩😀'],
    ['a selector that changes nothing', '😀\ufe0f', '😀⟨U+FE0F⟩'],
    ['a second selector', '❤\ufe0f\ufe0f', '❤️⟨U+FE0F⟩'],
    ['a selector after a letter', 'a\ufe0f', 'a⟨U+FE0F⟩'],
    ['tags that are no flag', '🏴\u{e0061}\u{e007f}', '🏴⟨U+E0061⟩⟨U+E007F⟩'],
    ['an override inside an emoji', '👩\u202e\u200d🚀', '👩⟨U+202E⟩⟨U+200D⟩🚀'],
  ]
  for (const [what, given, wanted] of disguised)
    test(`shows ${what} by its code point`, () => assert.equal(visibleText(given), wanted))

  test('changes nothing when applied again', () => {
    for (const [, given] of [...shown, ...disguised])
      assert.equal(visibleText(visibleText(given)), visibleText(given))
  })

  test('hides no character, however emoji, joiners and controls are mixed', () => {
    const parts = [
      '👩',
      '🚀',
      '❤',
      '🏴',
      '🇨',
      '🏽',
      '1',
      'a',
      '\u200d',
      '\ufe0f',
      '\u20e3',
      '\u{e0067}',
      '\u202e',
    ]
    const isHidden = (character: string) => /[\p{C}\p{Default_Ignorable_Code_Point}]/u.test(character)
    for (const text of mixtures(parts, 4)) {
      const visible = visibleText(text)
      assert.equal(visibleText(visible), visible, JSON.stringify(text))
      // Outside emoji nothing is hidden, and code points stand for what was hidden.
      assert.equal([...visible.replaceAll(/\p{RGI_Emoji}/gv, '')].some(isHidden), false, JSON.stringify(text))
      const back = visible.replaceAll(/⟨U\+([0-9A-F]+)⟩/g, (_, hex) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      )
      assert.equal(back, text)
    }
  })

  test('replaces half of a surrogate pair', () => assert.equal(visibleText('a\ud800b'), 'a\ufffdb'))
})

describe('text that is cut', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['a text that fits', 'Calendar', 8, 'Calendar'],
    ['a text that is too long', 'Calendar bot', 8, 'Calenda…'],
    ['an emoji that does not fit', 'Bot 👨‍👩‍👧‍👦 for all', 8, 'Bot …'],
    ['an emoji that fits', '👩‍🚀 in space', 5, '👩‍🚀 …'],
    ['a flag', 'ab🇨🇭cd', 4, 'ab…'],
    ['a letter with a mark', 'cafe\u0301 x', 5, 'caf…'],
    ['an emoji outside the basic plane', '😀😀😀', 2, '😀…'],
    ['one that is longer than there is room', '👨‍👩‍👧‍👦', 3, '…'],
  ]
  for (const [what, given, most, wanted] of cases)
    test(`keeps ${what} whole or leaves it out`, () => assert.equal(cutText(given, most), wanted))
})

/** Every text of up to `most` parts. */
function mixtures(parts: readonly string[], most: number): string[] {
  if (most === 0) return ['']
  return ['', ...mixtures(parts, most - 1).flatMap((text) => parts.map((part) => `${text}${part}`))]
}
