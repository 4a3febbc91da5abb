import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { END_TOKEN } from '../../src/audio/moonshine.ts'
import { type Grammar, NOTHING_SAID, nextTokens, type Phrase } from '../../src/audio/spoken-grammar.ts'
import { COMMA, DIGIT_FIGURES, DIGIT_WORDS, FULL_STOP, SPACE } from '../../src/audio/spoken-tokens.ts'

const UMBRELLA = [21_354, 2_996]
const TWO_DIGITS: Grammar = { digits: 2, word: [UMBRELLA] }

describe('phrases that can be heard', () => {
  test('a phrase ends only after all digits', () => {
    assert.equal(read([wordOf(4), END_TOKEN]), undefined)
    assert.equal(read([wordOf(4), wordOf(7), END_TOKEN])?.digits, '47')
    assert.equal(read([wordOf(4), wordOf(7), wordOf(7)]), undefined)
  })

  test('words, figures, commas and a full stop give the same digits', () => {
    assert.equal(read([wordOf(4), COMMA, wordOf(7), FULL_STOP, END_TOKEN])?.digits, '47')
    assert.equal(read([SPACE, figureOf(4), figureOf(7), END_TOKEN])?.digits, '47')
    assert.equal(read([SPACE, figureOf(4), COMMA, SPACE, figureOf(7), END_TOKEN])?.digits, '47')
  })

  test('a digit of two tokens counts only once it is complete', () => {
    const [first, second] = DIGIT_WORDS[9]?.[1] ?? []
    assert.ok(first !== undefined && second !== undefined)
    assert.equal(read([first])?.digits, '')
    assert.equal(read([first, wordOf(1)]), undefined)
    assert.equal(read([first, second])?.digits, '9')
  })

  test('the extra word is said once, before or after the digits, and is not a digit', () => {
    const before = read([...UMBRELLA, wordOf(4), wordOf(7), END_TOKEN])
    const after = read([wordOf(4), wordOf(7), COMMA, ...UMBRELLA, END_TOKEN])
    assert.deepEqual([before?.digits, before?.word], ['47', 'before'])
    assert.deepEqual([after?.digits, after?.word], ['47', 'after'])
    assert.equal(read([wordOf(4), ...UMBRELLA]), undefined)
    assert.equal(read([...UMBRELLA, wordOf(4), wordOf(7), ...UMBRELLA]), undefined)
    assert.equal(read([wordOf(4), wordOf(7), UMBRELLA[0] ?? 0, END_TOKEN]), undefined)
  })
})

/** Returns the phrase that the tokens lead to, or undefined if the grammar forbids one of them. */
function read(tokens: readonly number[]): Phrase | undefined {
  let phrase: Phrase | undefined = NOTHING_SAID
  for (const token of tokens) {
    phrase = phrase && nextTokens(phrase, TWO_DIGITS).find(([allowed]) => allowed === token)?.[1]
  }
  return phrase
}

function wordOf(digit: number): number {
  const token = DIGIT_WORDS[digit]?.[0]?.[0]
  assert.ok(token !== undefined)
  return token
}

function figureOf(digit: number): number {
  const token = DIGIT_FIGURES[digit]
  assert.ok(token !== undefined)
  return token
}
