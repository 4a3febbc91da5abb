import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { beyondCeilings } from '../../src/domain/tokens/group-ceilings.ts'

const readers = { resources: ['calendar:*', 'files:plan'], actions: ['read'] }
const writers = { resources: ['calendar:team'], actions: ['read', 'write'] }

describe('group ceilings', () => {
  test('allow what any single group allows', () => {
    assert.deepEqual(
      beyondCeilings([readers], { resources: ['calendar:x', 'files:plan'], actions: ['read'] }),
      [],
    )
    assert.deepEqual(
      beyondCeilings([readers, writers], { resources: ['calendar:team'], actions: ['read', 'write'] }),
      [],
    )
  })

  test('do not combine the actions of one group with the resources of another', () => {
    assert.deepEqual(
      beyondCeilings([readers, writers], {
        resources: ['files:plan', 'calendar:team'],
        actions: ['read', 'write'],
      }),
      ['write@files:plan'],
    )
    assert.deepEqual(beyondCeilings([readers, writers], { resources: ['calendar:*'], actions: ['write'] }), [
      'write@calendar:*',
    ])
  })

  test('name each resource and each action that no group allows', () => {
    assert.deepEqual(
      beyondCeilings([readers], { resources: ['mail:x', 'calendar:x'], actions: ['read', 'send'] }),
      ['mail:x', 'send'],
    )
    assert.deepEqual(beyondCeilings([], { resources: ['calendar:x'], actions: ['read'] }), [
      'calendar:x',
      'read',
    ])
  })
})
