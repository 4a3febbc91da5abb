import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ERRORS } from '@deputize/protocol'
import { PEOPLE_TOKENS } from '../../server/src/http/people/people-style.ts'
import { refusalWords } from '../people/refusal-words.ts'
import { stopQuestion } from '../people/stop-question.ts'
import { timeText } from '../people/time-text.ts'

const TOKENS = readFileSync(new URL('../app/style/tokens.css', import.meta.url), 'utf8')

/** The custom properties of each block, in order. */
function blocks(css: string): Map<string, string>[] {
  return [...css.matchAll(/\{([^{}]*)\}/g)].map(([, text = '']) => {
    const found = text.matchAll(/(--[\w-]+):\s*([^;]+);/g)
    return new Map([...found].map(([, name = '', value = '']) => [name, value.trim()]))
  })
}

describe('what people read', () => {
  test('has the colours of the dashboard, light and dark', () => {
    const [light, dark, , still] = blocks(TOKENS)
    const ours = blocks(PEOPLE_TOKENS)
    assert.equal(ours.length, 3)
    for (const [place, theirs] of [light, dark, still].entries())
      for (const [name, value] of ours[place] ?? []) assert.equal(value, theirs?.get(name), name)
  })

  test('is never the text of a refusal for developers', () => {
    const forPeople = ['step_up_required', 'passkey_refused']
    for (const [code, { help }] of Object.entries(ERRORS)) {
      if (forPeople.includes(code)) continue
      const words = refusalWords({ code, reason: '', detail: help }, [])
      assert.notEqual(words, help, code)
      assert.doesNotMatch(words, /`|DEPUTY_|\/v1\/|Authorization|\bjti\b|_/, code)
    }
    const misconfigured = { code: 'passkey_refused', reason: 'no_domain', detail: 'Set DEPUTY_PUBLIC_URL.' }
    assert.doesNotMatch(refusalWords(misconfigured, []), /DEPUTY/)
    const noPasskey = { code: 'step_up_required', reason: 'no_passkey', detail: 'You have no passkey yet.' }
    assert.equal(refusalWords(noPasskey, []), 'You have no passkey yet.')
    const wrong = { code: 'invalid_request', reason: '', detail: '/url must match the pattern ^https' }
    assert.match(refusalWords(wrong, ['/url']), /^Check the address\./)
  })

  test('counts what stops and what is freed, and does without counts if there are none', () => {
    const one = { agents: ['agent:a', 'agent:b'], live_tokens: 3, pending_records: 1, reserved_usd: 4 }
    const two = { agents: ['agent:b'], live_tokens: 1, pending_records: 1, reserved_usd: 0 }
    assert.deepEqual(stopQuestion('A', [one, two]), {
      title: 'Stop A?',
      words: [
        "This stops 2 agents and 2 open actions. It takes effect immediately and can't be undone.",
        'Agents: a, b.',
        'It frees $4.00 that open actions had reserved.',
      ],
      yes: 'Stop 2 agents',
    })
    const names = new Map([['agent:b', 'Calendar bot']])
    assert.ok(stopQuestion('A', [one, two], names).words.includes('Agents: a, Calendar bot.'))
    assert.deepEqual(stopQuestion('A', []).yes, 'Stop')
    assert.match(stopQuestion('A', []).words.join(' '), /can't be undone/)
  })

  test('shows times exactly and relative to now', () => {
    const now = new Date(2026, 10, 16, 17, 45).getTime()
    const soon = now + 56 * 60_000
    assert.equal(timeText(soon, 'until', now, 'en-GB'), '18:41, in 56\u00a0min')
    assert.match(
      timeText(now + 30 * 3_600_000, 'until', now, 'en-GB'),
      /^Tue.* 17 Nov.* 23:45, in 30\u00a0h$/,
    )
    assert.equal(timeText(now - 120_000, 'ago', now), '2\u00a0min ago')
    assert.equal(timeText(now + 5_000, 'ago', now), 'now')
    assert.equal(timeText(now - 1, 'until', now, 'en-GB'), '17:44, which has passed')
  })
})
