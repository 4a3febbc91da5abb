import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import type { Question } from '../../src/messages/question-message.ts'
import { questionMessage } from '../../src/messages/question-message.ts'
import { renderMail } from '../../src/messages/render/mail.ts'
import { renderPush } from '../../src/messages/render/push.ts'
import { renderSlack } from '../../src/messages/render/slack.ts'
import { renderTeams } from '../../src/messages/render/teams.ts'
import { ADAPTIVE_CARD_MESSAGE, SLACK_MESSAGE } from './payload-shapes.ts'

const QUESTION: Question = {
  approval_id: 'apr_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r',
  agent_id: 'acme:shopping-bot',
  display_name: 'Shopping assistant',
  action: 'buy',
  resource: 'shop:office-direct',
  spend_micro_usd: 149_900_000,
  left_micro_usd: 49_600_000,
  expires_at_ms: Date.parse('2026-11-16T17:41:00Z'),
}
const TERMS = {
  public_url: 'https://deputy.example.com',
  tenant_id: 'acme',
  time_zone: 'Europe/Berlin',
  is_escalated: false,
  message_id: 'msg_1',
} as const
/** Markup for every receiver, a mention, reversed text, a new header and new lines. */
const HOSTILE =
  '<img src=x onerror=alert(1)>\r\nBcc: all@example.com\u202E [pay](https://evil.example) *b* <!channel> &amp; "'

const hostile = questionMessage(
  [{ ...QUESTION, display_name: HOSTILE, action: HOSTILE, resource: `shop:${HOSTILE}` }],
  TERMS,
)
const isOf = (schema: object) => new Ajv({ strict: false, allErrors: true }).compile(schema)

describe('a message about one approval request', () => {
  const message = questionMessage([QUESTION], TERMS)

  test('names the action, the amount, the resource, what is left, the deadline and the agent', () => {
    assert.equal(message.title, 'Shopping assistant wants to buy shop:office-direct for $149.90')
    assert.deepEqual(
      message.facts.map(({ label, value }) => `${label}: ${value}`),
      [
        'Asked by: Shopping assistant',
        'Agent: shopping-bot',
        'Action: buy',
        'Where: shop:office-direct',
        'Amount: $149.90',
        'Left after this: $49.60',
        'Answer by: Mon 16 Nov, 18:41 CET',
      ],
    )
    assert.equal(message.link.url, `https://deputy.example.com/approve/${QUESTION.approval_id}?tenant=acme`)
  })

  test('uses UTC if the time zone of the person is unknown', () => {
    const { facts } = questionMessage([QUESTION], { ...TERMS, time_zone: undefined })
    assert.equal(facts.at(-1)?.value, 'Mon 16 Nov, 17:41 UTC')
  })

  test('omits what does not apply, and reports an exceeded budget', () => {
    const free = questionMessage([{ ...QUESTION, spend_micro_usd: 0, left_micro_usd: undefined }], TERMS)
    assert.deepEqual(
      free.facts.map(({ label }) => label),
      ['Asked by', 'Agent', 'Action', 'Where', 'Answer by'],
    )
    assert.equal(free.title, 'Shopping assistant wants to buy shop:office-direct')
    const over = questionMessage([{ ...QUESTION, left_micro_usd: -500_000 }], TERMS)
    assert.ok(over.facts.some(({ value }) => value === 'nothing: $0.50 over the budget'))
  })

  test('calls an agent without a registered name by its ID, without the tenant', () => {
    const { title, facts } = questionMessage([{ ...QUESTION, display_name: undefined }], TERMS)
    assert.ok(title.startsWith('shopping-bot wants'), title)
    assert.deepEqual(
      facts.slice(0, 2).map(({ label, value }) => `${label}: ${value}`),
      ['Asked by: shopping-bot', 'Action: buy'],
    )
  })

  test('shows the ID of an agent whose registered name is that of another one, on every channel', () => {
    const disguised = questionMessage(
      [{ ...QUESTION, agent_id: 'acme:evil', display_name: 'bank-bot' }],
      TERMS,
    )
    assert.match(renderMail(disguised, undefined).text, /^Asked by: bank-bot\r?\nAgent: evil\r?$/m)
    assert.ok(renderPush(disguised).body.startsWith('Asked by: bank-bot\nAgent: evil\n'))
    assert.ok(JSON.stringify(renderSlack(disguised)).includes('Agent: evil'))
    assert.match(JSON.stringify(renderTeams(disguised)), /"Agent: ",[^{]*{[^{]*"text":"evil"/)
  })

  test('mentions that another person was asked first', () => {
    const { notes } = questionMessage([QUESTION], { ...TERMS, is_escalated: true })
    assert.ok(notes.includes("The first person asked hasn't answered."))
  })
})

describe('a message about several approval requests', () => {
  const three = [QUESTION, { ...QUESTION, action: 'refund' }, { ...QUESTION, expires_at_ms: 0 }] as const

  test('counts them, and shows the earliest deadline', () => {
    const message = questionMessage([...three], TERMS)
    assert.equal(message.title, '3 approval requests from Shopping assistant')
    assert.equal(message.facts.length, 4)
    assert.equal(message.facts.at(-1)?.value, 'Thu 1 Jan, 01:00 CET')
    assert.equal(message.link.url, 'https://deputy.example.com/me?tenant=acme#approvals')
    const ofDefault = questionMessage([...three], { ...TERMS, tenant_id: 'default' })
    assert.equal(ofDefault.link.url, 'https://deputy.example.com/me#approvals')
  })

  test('tells agents with the same registered name apart', () => {
    const message = questionMessage([QUESTION, { ...QUESTION, agent_id: 'acme:evil' }], TERMS)
    assert.equal(message.title, '2 approval requests from 2 agents')
    assert.deepEqual(
      message.facts.slice(0, 2).map(({ label }) => label),
      ['Shopping assistant (shopping-bot)', 'Shopping assistant (evil)'],
    )
  })

  test('counts the agents, and the requests that it does not list', () => {
    const many = Array.from({ length: 12 }, (_, index) => ({
      ...QUESTION,
      agent_id: `acme:agent-${index % 2}`,
      display_name: `Agent ${index % 2}`,
    }))
    const message = questionMessage([QUESTION, ...many], TERMS)
    assert.equal(message.title, '13 approval requests from 3 agents')
    assert.equal(message.notes[0], '5 more approval requests on the page.')
  })
})

describe('a hostile name', () => {
  test('stays one visible line in every part of the message', () => {
    for (const text of [hostile.title, ...hostile.facts.map(({ value }) => value)]) {
      assert.doesNotMatch(text, /[\r\n\u202E]/)
      assert.ok(text.length <= 400, `${text.length}`)
    }
    assert.match(hostile.title, /⟨U\+000D⟩⟨U\+000A⟩/)
  })

  test('adds no header and no markup to a mail', () => {
    const { subject, html, text } = renderMail(hostile, 'https://deputy.example.com/unsubscribe/x')
    assert.doesNotMatch(subject, /[\r\n]/)
    assert.doesNotMatch(html, /<img|onerror=alert\(1\)>/)
    assert.equal(html.match(/<a /g)?.length, 2, 'our own link and the end of the mails')
    assert.doesNotMatch(text, /^Bcc:/m)
  })

  test('mentions nobody and formats nothing in Slack and Teams', () => {
    const slack = renderSlack(hostile)
    assert.doesNotMatch(slack.text, /<!channel>/)
    assert.doesNotMatch(JSON.stringify(slack), /"mrkdwn"/)
    const teams = JSON.stringify(renderTeams(hostile))
    assert.doesNotMatch(teams, /"(TextBlock|FactSet)"/)
  })
})

describe('the documented format', () => {
  const messages = [
    questionMessage([QUESTION], TERMS),
    questionMessage([QUESTION, ...Array.from({ length: 20 }, () => QUESTION)], TERMS),
    hostile,
  ]

  test('of Block Kit is followed, including its limits', () => {
    const fits = isOf(SLACK_MESSAGE)
    for (const message of messages) assert.ok(fits(renderSlack(message)), JSON.stringify(fits.errors))
    assert.equal(fits({ ...renderSlack(hostile), blocks: [{ type: 'header', text: 'no object' }] }), false)
  })

  test('of Adaptive Cards is followed', () => {
    const fits = isOf(ADAPTIVE_CARD_MESSAGE)
    for (const message of messages) assert.ok(fits(renderTeams(message)), JSON.stringify(fits.errors))
    assert.equal(fits({ type: 'message', attachments: [] }), false)
  })

  test('of a push message stays below the limit of push services, and contains only a path', () => {
    for (const message of messages) {
      const payload = renderPush(message)
      assert.ok(Buffer.byteLength(JSON.stringify(payload)) < 3_000)
      assert.match(payload.path, /^\/(approve|me)/)
    }
  })
})
