import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allowedProviders, chosenProvider } from '../../src/domain/verification/provider-choice.ts'

describe('the providers of a tenant', () => {
  test('are the engine and all that are configured, unless the tenant chooses', () => {
    assert.deepEqual(allowedProviders(undefined, ['id-check']), ['builtin', 'id-check'])
    assert.deepEqual(allowedProviders(null, []), ['builtin'])
  })

  test('are those it chooses among the configured ones, the default first', () => {
    const configured = ['id-check', 'other']
    assert.deepEqual(allowedProviders({ providers: ['other', 'id-check'] }, configured), [
      'other',
      'id-check',
    ])
    const setting = { providers: ['other', 'id-check'], default: 'id-check' }
    assert.deepEqual(allowedProviders(setting, configured), ['id-check', 'other'])
  })

  test('lose one that the operator removes, and are empty when the last is gone', () => {
    assert.deepEqual(allowedProviders({ providers: ['gone', 'builtin'], default: 'gone' }, []), ['builtin'])
    assert.deepEqual(allowedProviders({ providers: ['gone'] }, []), [])
  })

  test('are chosen by name, or else the first one is', () => {
    assert.equal(chosenProvider(['id-check', 'builtin'], undefined), 'id-check')
    assert.equal(chosenProvider(['id-check'], 'id-check'), 'id-check')
    assert.equal(chosenProvider(['id-check'], 'builtin'), undefined)
    assert.equal(chosenProvider([], undefined), undefined)
  })
})
