import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aMailServer, type MailServer, mailText } from '@deputize/testing/a-mail-server.ts'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { nextMinute } from '@deputize/testing/next-minute.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { someNodes } from '@deputize/testing/some-nodes.ts'

const scope = { after }
const CHANNELS = '/v1/vat/notifications/channels'
const ALWAYS_REFUSED = Array.from({ length: 1_000 }, () => 451)

function mailSettings({ port }: MailServer): Record<string, string> {
  return { DEPUTY_SMTP_URL: `smtp://127.0.0.1:${port}`, DEPUTY_MAIL_FROM: 'deputy@example.com' }
}

/** Adds an e-mail channel and confirms it with its code. */
async function aMailChannel(client: HttpClient, mail: MailServer, more: object = {}): Promise<void> {
  const channel = { kind: 'email', address: 'ops@example.com', ...more }
  const { channel_id } = await okBody(client.post(CHANNELS, channel))
  const [, code = ''] = /Code: (\d{8})/.exec(mailText(mail.mails[0] ?? { text: '' })) ?? []
  await okBody(client.post(`${CHANNELS}/${channel_id}/confirm`, { code }))
  mail.mails.length = 0
}

async function aToken(client: HttpClient): Promise<string> {
  const constraints = { require_approval: { actions: ['write'] } }
  return (await okBody(client.post('/v1/vat/issue/l1', anIssueRequest({ constraints })))).jti
}

async function ask(client: HttpClient, vat_jti: string, number: number): Promise<string> {
  const request = { vat_jti, action: 'write', resource: 'calendar:events', metadata: { number } }
  return (await okBody(client.post('/v1/vat/authorize', request))).approval_id
}

/** The last failure of each channel, once every channel has one. */
async function failures(client: HttpClient): Promise<string[] | undefined> {
  const { channels } = await okBody(client.get('/v1/vat/notifications'))
  const found = channels.flatMap(({ last_failure }: Answer['body']) => last_failure?.detail ?? [])
  return found.length === channels.length ? found : undefined
}

function subjectOf(mail: { readonly text: string } | undefined): string {
  return /^Subject: (.*)\r?$/m.exec(mailText(mail ?? { text: '' }))?.[1]?.trim() ?? ''
}

describe('an approval request whose message the mail server refuses', () => {
  test('is told after the program was killed and started again, and so is a notice', async () => {
    const mail = await aMailServer(scope)
    const directory = temporaryDirectory(scope)
    const before = await aProgram(scope, directory, mailSettings(mail))
    const client = httpClient(scope, before.url)
    await aMailChannel(client, mail, { about: ['questions'] })
    await aMailChannel(client, mail, { about: ['suspensions'] })
    const jti = await aToken(client)
    mail.refusals.push(...ALWAYS_REFUSED)
    const approval_id = await ask(client, jti, 1)
    await okBody(client.post('/v1/vat/agents/calendar-bot/suspend', {}))
    const refused = await eventually('failed attempts', () => failures(client))
    assert.deepEqual(new Set(refused), new Set(['the mail server answered 451']))
    await before.kill()
    assert.equal(mail.mails.length, 0)
    mail.refusals.length = 0
    const program = await aProgram(scope, directory, mailSettings(mail))
    await eventually('both messages', () => mail.mails.length === 2, 120_000)
    const { channels } = await okBody(httpClient(scope, program.url).get('/v1/vat/notifications'))
    for (const { last_failure, last_sent_at } of channels)
      assert.deepEqual([last_failure, typeof last_sent_at], [undefined, 'string'])
    assert.equal(await program.stop(), 0)
    const [question, notice] = mail.mails.toSorted((a, b) => subjectOf(b).length - subjectOf(a).length)
    assert.equal(mail.mails.length, 2, 'each message once')
    assert.equal(subjectOf(notice), 'calendar-bot was suspended')
    assert.ok(mailText(question ?? { text: '' }).includes(`/approve/${approval_id}`))
  })
})

describe('approval requests on two nodes of one database', () => {
  test('make one message, though both nodes send', async () => {
    const mail = await aMailServer(scope)
    const { nodes } = await someNodes(scope, 2, { env: mailSettings(mail) })
    const [one, two] = nodes
    assert.ok(one !== undefined && two !== undefined)
    await aMailChannel(one.client, mail)
    const jti = await aToken(one.client)
    mail.refusals.push(...ALWAYS_REFUSED)
    const asked = [
      await ask(one.client, jti, 1),
      await ask(two.client, jti, 2),
      await ask(one.client, jti, 3),
    ]
    await eventually('a failed attempt', () => failures(two.client))
    mail.refusals.length = 0
    const sent = await eventually('a message', () => mail.mails[0], 120_000)
    assert.equal(subjectOf(sent), '3 approval requests from calendar-bot')
    // Urgent messages skip every pause. When one has arrived, both nodes have checked the channel again.
    const condition = { kind: 'denials', more_than: 1, within_minutes: 10 }
    await okBody(
      two.client.post('/v1/vat/alerts/rules', {
        name: 'Burst',
        condition,
        effect: 'suspend',
        window_minutes: 10_080,
      }),
    )
    await nextMinute()
    const denied = { vat_jti: jti, action: 'sell', resource: 'bank:account', result: 'success' }
    for (let time = 0; time < 3; time += 1) await one.client.post('/v1/vat/record/action', denied)
    await eventually('the alert', () => mail.mails.length > 1)
    assert.equal(subjectOf(mail.mails[1]), 'Alert about calendar-bot')
    for (const { client } of [one, two])
      for (const approval_id of asked)
        assert.equal((await okBody(client.get(`/v1/vat/approvals/${approval_id}`))).state, 'pending')
    assert.deepEqual([await two.program.stop(), await one.program.stop()], [0, 0])
    assert.deepEqual(
      mail.mails.map(subjectOf).filter((subject) => subject.includes('approval request')),
      ['3 approval requests from calendar-bot'],
    )
  })
})
