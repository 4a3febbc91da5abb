import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { informalGerman } from '@deputize/testing/informal-german.ts'
import { pageLanguage } from '../verify-me/texts.ts'
import { de } from '../widget/locales/de.ts'
import { en } from '../widget/locales/en.ts'
import { filled, languageFor } from '../widget/locales/texts.ts'
import { consequenceOf } from '../widget/problems.ts'
import { requestWords } from '../widget/request-words.ts'

describe('the texts of the widget', () => {
  test('have the same placeholders in every language', () => {
    const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
    for (const [key, text] of Object.entries(en)) {
      const other = (de as Readonly<Record<string, string>>)[key] ?? '' // the type says that it has all keys
      assert.notEqual(other.trim(), '', key)
      assert.deepEqual(gaps(other), gaps(text), key)
    }
  })

  test('say Sie in German, including on the hosted page', () => {
    const german = { ...de, ...pageLanguage(['de']).texts }
    for (const [key, text] of Object.entries(german)) assert.deepEqual(informalGerman(text), [], key)
    for (const informal of [
      'Schau in die Kamera.',
      'Dreh dich um und geh zurück.',
      'Warte, bis du dran bist.',
    ])
      assert.notDeepEqual(informalGerman(informal), [], informal)
  })

  test('are chosen by language, whatever the region, and fall back to English', () => {
    assert.equal(languageFor(['de-AT']).language, 'de')
    assert.equal(languageFor(['fr', 'de']).language, 'de')
    assert.equal(languageFor(['tlh']).language, 'en')
    assert.equal(languageFor([]).language, 'en')
    for (const hostile of ['__proto__', 'constructor', '"><script>'])
      assert.equal(languageFor([hostile]).language, 'en')
  })

  test('fill placeholders once, so that a value is never a template', () => {
    assert.equal(filled('{agent} asks {name}', { agent: '{name}', name: 'Ann' }), '{name} asks Ann')
    assert.equal(filled('{constructor}', {}), '{constructor}')
  })
})

describe('what a token would allow', () => {
  const request = { agent_id: 'bot', resources: ['shop:orders'], actions: ['buy'] }

  test('is written in the language of the person', () => {
    assert.deepEqual(requestWords({ ...request, expires_in: 5400, purpose: 'Office supplies' }, en), [
      ['May', 'buy'],
      ['On', 'shop:orders'],
      ['Valid for', '90 min'],
      ['Purpose', 'Office supplies'],
    ])
    assert.equal(new Map(requestWords(request, de)).get('Gültig für'), '1 Std.')
  })
})

describe('a refusal of the service', () => {
  test('allows another try if the recording or the load was at fault, and is final otherwise', () => {
    assert.deepEqual(consequenceOf({ code: 'answer_late' }, true), { type: 'interrupted', why: 'slow' })
    for (const code of ['overloaded', 'engine_busy', 'provider_unavailable'])
      assert.deepEqual(consequenceOf({ code }, false), { type: 'interrupted', why: 'engine' })
    assert.deepEqual(consequenceOf({ code: 'session_taken' }, true), { type: 'failed', code: 'taken' })
    assert.deepEqual(consequenceOf({ code: 'never_heard_of' }, true), { type: 'failed', code: 'other' })
    assert.deepEqual(consequenceOf({ code: 'constructor' }, true), { type: 'failed', code: 'other' })
  })

  test('because of an expired capture allows another try, and because of an expired link does not', () => {
    const expired = { code: 'session_closed', state: 'expired' }
    assert.deepEqual(consequenceOf(expired, true), { type: 'interrupted', why: 'timeout' })
    assert.deepEqual(consequenceOf(expired, false), { type: 'failed', code: 'expired' })
    assert.deepEqual(consequenceOf({ code: 'session_closed', state: 'judged' }, true), {
      type: 'failed',
      code: 'used',
    })
  })
})
