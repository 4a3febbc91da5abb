import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Candidate } from '../../src/audio/hear-phrase.ts'
import { hasDuressWord } from '../../src/checks/duress-word.ts'
import { DURESS_WORDS, duressWordTokens, isUsableDuressWord } from '../../src/duress-words.ts'

describe('words that can be a sign of coercion', () => {
  test('a word is usable if and only if it is in the list', () => {
    assert.ok(DURESS_WORDS.length >= 100)
    assert.ok(DURESS_WORDS.every(isUsableDuressWord))
    for (const word of ['', 'Banana', 'five', 'seventeen', 'toString', '__proto__', 'banana ']) {
      assert.equal(isUsableDuressWord(word), false, word)
    }
  })

  test('every word has two spellings, and no two words share one', () => {
    const spellings = DURESS_WORDS.flatMap((word) => duressWordTokens({ word }).map(String))
    assert.equal(spellings.length, DURESS_WORDS.length * 2)
    assert.equal(new Set(spellings).size, spellings.length)
  })

  test('an unknown word throws instead of never being heard', () => {
    assert.throws(() => duressWordTokens({ word: 'help' }))
  })
})

describe('hearing the word', () => {
  const phrase = (...candidates: Candidate[]) => ({ candidates, free_log_likelihood: -3 })
  const without = { digits: '471902', word: 'absent', log_likelihood: -8 } as const

  test('it is heard if the phrase with it is about as likely as the one without', () => {
    assert.ok(hasDuressWord(phrase({ ...without, word: 'after', log_likelihood: -3 }, without)))
    assert.ok(hasDuressWord(phrase(without, { ...without, word: 'before', log_likelihood: -8.5 })))
  })

  test('it is not heard if the sound is better explained without it', () => {
    assert.ok(!hasDuressWord(phrase(without, { ...without, word: 'after', log_likelihood: -14 })))
    assert.ok(!hasDuressWord(phrase(without)))
    assert.ok(!hasDuressWord(phrase()))
  })

  test('it is not heard in speech that is not digits', () => {
    const far = { ...without, log_likelihood: -40 }
    assert.ok(!hasDuressWord(phrase({ ...far, word: 'after', log_likelihood: -30 }, far)))
  })
})
