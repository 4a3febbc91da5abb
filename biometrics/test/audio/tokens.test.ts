import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { FIXTURES, fixtureFile } from '@deputize/testing/puppet/fixtures.ts'
import { COMMA, DIGIT_FIGURES, DIGIT_WORDS, FULL_STOP, HYPHEN, SPACE } from '../../src/audio/spoken-tokens.ts'
import { DURESS_WORDS, duressWordTokens } from '../../src/duress-words.ts'

const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']

/** The recogniser's tokenizer, as published in its package. */
interface Tokenizer {
  encode(text: string, has_start: boolean, has_space: boolean): number[]
}

let tokenizer: Tokenizer
before(
  async () => {
    const source = await fixtureFile(FIXTURES.tokenizer, 'llama-tokenizer.js')
    const module = await import(`data:text/javascript;base64,${source.toString('base64')}`)
    tokenizer = module.default
  },
  { timeout: 300_000 },
)

describe('the tokens that the recogniser listens for', () => {
  test('are those of the digits as words', () => {
    assert.deepEqual(
      DIGIT_WORDS,
      WORDS.map((word, digit) => [word, ...(digit === 0 ? ['oh'] : [])].flatMap(spellings)),
    )
  })

  test('are those of figures and marks', () => {
    assert.deepEqual(DIGIT_FIGURES, Array.from({ length: 10 }, (_, digit) => inside(String(digit))).flat())
    assert.deepEqual([COMMA, FULL_STOP, HYPHEN], [',', '.', '-'].flatMap(inside))
    assert.deepEqual(tokenizer.encode('7', false, true)[0], SPACE)
  })

  test('are those of every word that can be a sign', () => {
    for (const word of DURESS_WORDS) assert.deepEqual(duressWordTokens({ word }), spellings(word), word)
  })
})

function spellings(word: string): number[][] {
  const capital = word.slice(0, 1).toUpperCase() + word.slice(1)
  return [word, capital].map((text) => tokenizer.encode(text, false, true))
}

/** Returns the tokens of a text that follows another without a space. */
function inside(text: string): number[] {
  return tokenizer.encode(text, false, false)
}
