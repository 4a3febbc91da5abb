import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isResource, isResourcePattern, TEXT_FORMATS } from '../../src/encoding/grammar.ts'

const { action, email, result } = TEXT_FORMATS
const agent_id = TEXT_FORMATS['agent-id']
const agent_ref = TEXT_FORMATS['agent-ref']
const result_hash = TEXT_FORMATS['result-hash']
const date_time = TEXT_FORMATS['date-time']

describe('the grammar', () => {
  test('accepts resources with two non-empty parts, split by the first colon', () => {
    const good_ones = ['calendar:events', 'email:read', 'a:b', 'dateien:Straße', 'a:b/c?d=e']
    for (const good of [...good_ones, 'db:prod:users', 'arn:aws:s3:::b', 'a:b:', 'a::'])
      assert.ok(isResource(good), good)
    for (const bad of [
      '',
      ':',
      'a:',
      ':b',
      'a',
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
    for (const bad of ['*', '*:*', ':*', 'a:b*', 'a:*b', 'a:**', 'a b:*', 'a:b:*', 'a::*'])
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
    assert.ok(action.check('summarise') && !action.check('*') && !action.check(''))
    assert.ok(agent_id.check('team/bot+1@x.y') && !agent_id.check('agent:bot') && !agent_id.check(''))
    assert.ok(agent_ref.check('agent:bot') && agent_ref.check('bot') && !agent_ref.check('agent:agent:bot'))
  })

  test('accepts single spaces inside an action, an outcome and an agent name', () => {
    for (const { check } of [action, result, agent_id]) {
      assert.ok(check('send mail to all'))
      for (const bad of [' send', 'send ', 'send  mail', 'send\tmail', 'send\u00a0mail', ' '])
        assert.ok(!check(bad), JSON.stringify(bad))
    }
  })

  test('accepts letters of any script, but not of scripts that look alike', () => {
    for (const good of [
      'Büro-Bot',
      'календарь 2',
      'ημερολόγιο',
      'מזכיר',
      'हिन्दी',
      '日本語ボット bot',
      '한국어 봇',
    ])
      for (const { check } of [agent_id, result]) assert.ok(check(good), good)
    // A Cyrillic a in Latin text, a Greek o in Latin text, Latin in Cyrillic text, text that is not in normal form C.
    for (const bad of ['c\u0430lendar', 'b\u03bft', 'кале\u006eдарь', 'cafe\u0301'])
      for (const { check } of [agent_id, result]) assert.ok(!check(bad), bad)
  })

  test('refuses names that look like other names', () => {
    // A grapheme joiner, a variation selector, Hangul and Khmer fillers; full-width, mathematical and superscript forms.
    for (const unseen of ['\u034f', '\ufe0f', '\u3164', '\u115f', '\u17b4', '\u{e0100}'])
      for (const { check } of [agent_id, result]) assert.ok(!check(`bot${unseen}`), JSON.stringify(unseen))
    for (const copy of [
      '\uff42ot',
      'bot\uff11',
      'bot\u{1d7cf}',
      '\u{1d41b}\u{1d428}\u{1d42d}',
      'bo\u1d57',
      'o\ufb00',
    ])
      for (const { check } of [agent_id, result]) assert.ok(!check(copy), copy)
    for (const good of ['Straße', 'น้ำ', 'ﾎﾞｯﾄ'.normalize('NFC'), 'بوت', 'बोट१'])
      for (const { check } of [agent_id, result]) assert.ok(check(good), good)
  })

  test('refuses new agent names that a path cannot contain, but accepts references to agents with such names', () => {
    for (const dots of ['.', '..']) {
      assert.ok(!agent_id.check(dots))
      assert.ok(agent_ref.check(`agent:${dots}`))
    }
    const documented = new RegExp(agent_id.documented.pattern, 'u')
    for (const name of ['.', '..', '...', '.a', '..a', '. a', '.. a', 'a', 'a.', '. ', '.  a', '.a b'])
      assert.equal(documented.test(name), agent_id.check(name), name)
  })

  test('accepts result digests of up to 64 digits, in upper or lower case', () => {
    for (const good of ['sha256:a', `sha256:${'0'.repeat(64)}`, 'sha256:DeadBeef'])
      assert.ok(result_hash.check(good))
    for (const bad of ['sha256:', `sha256:${'0'.repeat(65)}`, 'sha256:xyz', 'SHA256:ab', 'ab'])
      assert.ok(!result_hash.check(bad), bad)
  })

  test('has documented patterns that admit every accepted name', () => {
    const names = ['bot', 'Büro Bot', 'a/b@c+d.e_f-g', 'календарь', '日本語']
    for (const name of names)
      for (const { documented, check } of [action, result, agent_id]) {
        assert.ok(check(name))
        assert.match(name, new RegExp(documented.pattern, 'u'))
      }
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
