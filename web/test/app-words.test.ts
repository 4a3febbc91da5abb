import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeputyEvent } from '../../sdk/node/src/generated/operations.ts'
import { issueSnippet, recordSnippet } from '../app/screens/first-run/snippets.ts'
import { denialAdvice } from '../app/words/denial-advice.ts'
import { feedLine } from '../app/words/event-line.ts'
import { addressOfId, agentPlace, shortId } from '../app/words/ids.ts'
import { counted, usd } from '../app/words/money.ts'
import { noticeOf } from '../app/words/notice.ts'
import { OUTCOMES, reasonWords, recordOutcome, tokenOutcome } from '../app/words/outcome.ts'
import { bucketTime, clockTime, relativeTime, shareLeft } from '../app/words/time.ts'
import { listedWords } from '../app/words/word-list.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')

describe('words of the dashboard', () => {
  test('money has two decimals, and tiny amounts never read as zero', () => {
    assert.equal(usd(149.9, 'en-US'), '$149.90')
    assert.equal(usd(1234.5, 'en-US'), '$1,234.50')
    assert.equal(usd(0, 'en-US'), '$0.00')
    assert.equal(usd(0.0004, 'en-US'), '$0.0004')
    assert.equal(counted(1, 'action'), '1 action')
    assert.equal(counted(2, 'entry', 'entries', 'en-US'), '2 entries')
  })

  test('times are relative to now', () => {
    assert.equal(relativeTime('2026-11-16T12:00:20Z', NOW), 'now')
    assert.equal(relativeTime('2026-11-16T11:56:00Z', NOW), '4 min ago')
    assert.equal(relativeTime('2026-11-16T12:56:00Z', NOW), 'in 56 min')
    assert.equal(relativeTime('2026-11-14T12:00:00Z', NOW), '2 days ago')
    assert.match(clockTime('2026-11-16T12:00:00Z', 'en-US'), /^\d\d:00:00$/)
  })

  test('the label of a chart bucket is its time, with the day if times repeat', () => {
    const [hour, day] = [3_600_000, 86_400_000]
    const at = new Date(2026, 10, 16, 14).getTime()
    assert.equal(bucketTime(at, hour, day, 'en-GB'), '14:00')
    assert.equal(bucketTime(at, hour, 7 * day, 'en-GB'), 'Mon 14:00')
    assert.equal(bucketTime(at, hour, 8 * day, 'en-GB'), '16 Nov 14:00')
    assert.equal(bucketTime(at, 1000, 60_000, 'en-GB'), '14:00:00')
    assert.equal(bucketTime(at, day, 30 * day, 'en-GB'), '16 Nov')
  })

  test('a deadline empties from full to nothing and stays there', () => {
    const [begin, end] = ['2026-11-16T11:00:00Z', '2026-11-16T13:00:00Z']
    assert.equal(shareLeft(begin, end, NOW), 0.5)
    assert.equal(shareLeft(begin, end, NOW - 1e9), 1)
    assert.equal(shareLeft(begin, end, NOW + 1e9), 0)
    assert.equal(shareLeft(begin, begin, NOW), 0)
  })

  test('every kind of ID opens its screen, and other text opens none', () => {
    assert.equal(addressOfId('vat_root_1a'), '/app/tokens/vat_root_1a')
    assert.equal(addressOfId(' vat_sub_1a '), '/app/tokens/vat_sub_1a')
    assert.equal(addressOfId('aar_1'), '/app/actions/aar_1')
    assert.equal(addressOfId('den_1'), '/app/denials/den_1')
    assert.equal(addressOfId('apr_1'), '/app/approvals/apr_1')
    assert.equal(addressOfId('prov_1'), '/app/workflows/prov_1')
    assert.equal(addressOfId('agent:a b/c'), '/app/agents/a%20b%2Fc')
    for (const text of ['', 'agent:', 'nope', 'aar_', 'aar_1/../x', 'javascript:alert(1)'])
      assert.equal(addressOfId(text), undefined, text)
    assert.equal(agentPlace('agent:bot'), '/app/agents/bot')
  })

  test('an ID shows its first 4 and last 5 characters', () => {
    assert.equal(shortId('vat_root_06gu8dnrdsp4kocg'), 'vat_…4kocg')
    assert.equal(shortId('short'), 'short')
    assert.equal(
      shortId(`sha256:0123${'0'.repeat(55)}bcdef`),
      '0123…bcdef',
      'what all hashes begin with says nothing',
    )
    assert.equal(shortId('agent:bot'), 'bot')
  })

  test('every outcome has a word and a shape, so that colour is never the only sign', () => {
    for (const [name, { word, shape }] of Object.entries(OUTCOMES))
      assert.ok(word.length > 0 && shape.length > 0, name)
    assert.equal(tokenOutcome('revoked'), 'revoked')
    assert.equal(reasonWords('budget_exceeded'), 'budget exceeded')
    assert.equal(reasonWords('a_new_reason'), 'a new reason')
  })

  test('a result shows as the reputation counts it', () => {
    const outcomeOf = (result: string) => recordOutcome({ state: 'completed', result })
    assert.equal(outcomeOf('success'), 'done')
    assert.equal(outcomeOf('partial'), 'partial')
    assert.equal(outcomeOf('cancelled'), 'cancelled')
    for (const result of ['failure', 'timeout', 'constructor']) assert.equal(outcomeOf(result), 'failed')
    assert.equal(recordOutcome({ state: 'pending' }), 'pending')
  })

  test('a denial says what resolves it, and an unknown reason from a newer service has no advice', () => {
    assert.match(denialAdvice('agent_suspended') ?? '', /resume it/)
    for (const unknown of ['a_new_reason', 'constructor']) assert.equal(denialAdvice(unknown), undefined)
  })

  test('an event says who did what, how it ended and where to look', () => {
    const event: DeputyEvent = {
      id: 'evt_1',
      log_index: 1,
      occurred_at: '2026-11-16T12:00:00Z',
      tenant_id: 'default',
      type: 'action.denied',
      data: {
        denial_id: 'den_1',
        agent_id: 'agent:bot',
        human_ref: 'sha256:00',
        action: 'buy',
        resource: 'shop:orders',
        reasons: ['budget_exceeded'],
      },
    }
    const changed = (kind: string, removed: boolean) =>
      feedLine({ ...event, type: 'registry.changed', data: { kind, entry_ref: 'sha256:00', removed } }).text
    assert.equal(changed('api_key', false), 'API key changed')
    assert.equal(changed('alert_rule', true), 'Alert rule removed')
    const signedIn = feedLine({
      ...event,
      type: 'session.begun',
      data: { human_ref: 'sha256:00', assurance_level: 'L2' },
    })
    assert.deepEqual([signedIn.outcome, signedIn.text], ['session', 'A person signed in'])
    assert.deepEqual(feedLine(event), {
      outcome: 'denied',
      agent_id: 'agent:bot',
      text: 'buy shop:orders',
      note: 'budget exceeded',
      href: '/app/denials/den_1',
    })
  })
})

describe('the decision on a request', () => {
  test('says who decided, so that it is not mistaken for an action that a token denied', () => {
    const decided = (decision: 'approved' | 'denied', decided_by: string) =>
      feedLine({
        id: 'evt_1',
        log_index: 1,
        occurred_at: '2026-11-16T12:00:00Z',
        tenant_id: 'default',
        type: 'approval.decided',
        data: {
          approval_id: 'apr_1',
          agent_id: 'agent:bot',
          human_ref: 'sha256:00',
          action: 'buy',
          resource: 'shop:orders',
          decision,
          decided_by,
        },
      })
    const told = ({ outcome, note }: ReturnType<typeof feedLine>) => [outcome, note]
    assert.deepEqual(told(decided('denied', 'sha256:00')), ['denied', 'by a person'])
    assert.deepEqual(told(decided('approved', 'habit')), ['approved', 'by habit'])
  })
})

describe('desktop notices', () => {
  const told = { tenant_id: 'default', provenance_ref: 'prov_1' }
  const denied = (log_index: number, second: number, agent_id = 'agent:bot'): DeputyEvent => ({
    ...told,
    id: `evt_${log_index}`,
    log_index,
    occurred_at: new Date(second * 1000).toISOString(),
    type: 'action.denied',
    data: {
      denial_id: 'den_1',
      agent_id,
      action: 'buy',
      resource: 'shop:orders',
      reasons: ['budget_exceeded'],
    } as Extract<DeputyEvent, { type: 'action.denied' }>['data'], // the members that are read
  })

  test('name the agent and the amount of a request, and lead to it', () => {
    const event = {
      ...told,
      id: 'evt_7',
      log_index: 7,
      occurred_at: '2026-11-16T12:00:00.000Z',
      type: 'approval.requested',
      data: {
        approval_id: 'apr_1',
        agent_id: 'agent:buyer',
        action: 'buy',
        resource: 'shop:orders',
        spend_usd: 149.9,
      },
    } as Extract<DeputyEvent, { type: 'approval.requested' }> // the members that are read
    assert.deepEqual(noticeOf(event, [event]), {
      title: 'buyer asks to buy for $149.90',
      body: 'At shop:orders. Open to decide.',
      href: '/app/approvals/apr_1',
      tag: 'apr_1',
    })
  })

  test('appear once for five denials of one agent within a minute, not for fewer, slower or mixed ones', () => {
    const noticed = (events: readonly DeputyEvent[]) =>
      events.filter((event) => noticeOf(event, events) !== undefined).map(({ log_index }) => log_index)
    assert.deepEqual(noticed([0, 1, 2, 3, 4, 5, 6].map((index) => denied(index, index))), [4])
    assert.deepEqual(noticed([0, 1, 2, 3].map((index) => denied(index, index))), [])
    assert.deepEqual(noticed([0, 1, 2, 3, 4].map((index) => denied(index, index * 16))), [])
    assert.deepEqual(noticed([0, 1, 2, 3, 4].map((index) => denied(index, index, `agent:${index % 2}`))), [])
  })
})

describe('the first token', () => {
  const token = {
    developer_email: "o'neil@example.com",
    agent_id: 'calendar-bot',
    resources: ['calendar:events'],
    actions: ['read'],
    max_spend_usd: 5,
  }

  test('is the same call in every language', () => {
    const [url, jti] = ['http://127.0.0.1:8420', 'vat_root_1']
    assert.match(
      issueSnippet('curl', url, token),
      /^curl -s http:\/\/127\.0\.0\.1:8420\/v1\/vat\/issue\/l1 .*"max_spend_usd":5/,
    )
    assert.match(issueSnippet('js', url, token), /client\.issueL1\(\{[\s\S]*agent_id: "calendar-bot"/)
    assert.match(issueSnippet('python', url, token), /issue_l1\([\s\S]*agent_id="calendar-bot"/)
    for (const language of ['curl', 'js', 'python'] as const)
      assert.match(recordSnippet(language, url, token, jti), /vat_root_1/)
  })

  test('cannot break out of the quotes of a shell', () => {
    assert.ok(issueSnippet('curl', 'http://x', token).includes("o'\\''neil@example.com"))
  })

  test('lists are words between commas or spaces', () => {
    assert.deepEqual(listedWords(' read, write  delete,'), ['read', 'write', 'delete'])
  })
})
