import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isResource, isResourcePattern, TEXT_FORMATS } from '../../src/encoding/grammar.ts'

const { action, email } = TEXT_FORMATS
const agent_id = TEXT_FORMATS['agent-id']
const date_time = TEXT_FORMATS['date-time']

describe('the grammar', () => {
  test('accepts resources with exactly one colon and two non-empty parts', () => {
    for (const good of ['calendar:events', 'email:read', 'a:b', 'dateien:Straße', 'a:b/c?d=e'])
      assert.ok(isResource(good), good)
    for (const bad of [
      '',
      ':',
      'a:',
      ':b',
      'a',
      'a:b:c',
      ' a:b',
      'a:b ',
      'a :b',
      'a:b\n',
      'a:*',
      '*:b',
      'a:b*',
      'a:\u200bb',
    ]) {
      assert.ok(!isResource(bad), JSON.stringify(bad))
    }
  })

  test('accepts one pattern only: a whole namespace', () => {
    assert.ok(isResourcePattern('calendar:*'))
    for (const bad of ['*', '*:*', ':*', 'a:b*', 'a:*b', 'a:**', 'a b:*'])
      assert.ok(!isResourcePattern(bad), bad)
  })

  test('refuses text that is not in Unicode normal form C', () => {
    assert.ok(isResource('caf\u00e9:menu'))
    assert.ok(!isResource('cafe\u0301:menu'))
  })

  test('counts bytes, not characters, of a resource', () => {
    assert.ok(isResource(`a:${'x'.repeat(198)}`))
    assert.ok(!isResource(`a:${'x'.repeat(199)}`))
    assert.ok(!isResource(`a:${'ü'.repeat(100)}`))
  })

  test('refuses a star as an action, and a prefix in an agent name', () => {
    assert.ok(action.check('summarise') && !action.check('*') && !action.check('') && !action.check('re ad'))
    assert.ok(agent_id.check('team/bot+1@x.y') && !agent_id.check('agent:bot') && !agent_id.check(''))
  })

  test('accepts common e-mail addresses', () => {
    for (const good of ['dev@example.com', 'a.b+c@sub.example.co', 'x@localhost', "o'hara@example.ie"])
      assert.ok(email.check(good), good)
    for (const bad of ['dev', '@example.com', 'dev@', 'a b@c.d', 'a@b..c', 'a@-b.c', `${'a'.repeat(65)}@b.c`])
      assert.ok(!email.check(bad), bad)
  })

  test('accepts only instants that exist', () => {
    for (const good of ['2027-01-31T12:00:00Z', '2028-02-29T00:00:00.123+02:00'])
      assert.ok(date_time.check(good), good)
    for (const bad of [
      '2027-02-29T00:00:00Z',
      '2027-01-31',
      '2027-13-01T00:00:00Z',
      'tomorrow',
      '2027-01-31T25:00:00Z',
      '2027-01-31T12:00:00',
    ]) {
      assert.ok(!date_time.check(bad), bad)
    }
  })

  test('runs quickly on any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        for (const { check } of Object.values(TEXT_FORMATS)) assert.equal(typeof check(text), 'boolean')
      }),
    )
  })
})
