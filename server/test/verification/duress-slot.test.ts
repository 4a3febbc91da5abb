import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  duressSignIn,
  duressSlotText,
  EMPTY_DURESS_SLOT,
  isDuress,
  isUsableDuressWord,
} from '../../src/verification/duress-slot.ts'

const slotOf = (choice: Parameters<typeof duressSlotText>[0]) => duressSlotText(choice) ?? ''

describe('the sign of coercion that a capture is searched for', () => {
  test('is the chosen word and gesture', () => {
    const slot = slotOf({ word: 'banana', gesture: 'thumbs_up', contacts: [] })
    assert.deepEqual(duressSignIn(slot), { word: 'banana', is_decoy: false, gesture: 'thumbs_up' })
  })

  test('has a decoy word that never counts if the person chose only a gesture, or nothing', () => {
    for (const slot of [slotOf({ gesture: 'thumbs_up', contacts: [] }), EMPTY_DURESS_SLOT]) {
      const { word, is_decoy } = duressSignIn(slot)
      assert.ok(isUsableDuressWord(word))
      assert.equal(is_decoy, true)
    }
  })

  test('counts only for a person who chose one', () => {
    assert.equal(isDuress(true, slotOf({ gesture: 'thumbs_up', contacts: [] })), true)
    assert.equal(isDuress(true, EMPTY_DURESS_SLOT), false)
    assert.equal(isDuress(false, slotOf({ word: 'banana', contacts: [] })), false)
  })
})
