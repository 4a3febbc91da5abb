import assert from 'node:assert/strict'
import { after } from 'node:test'
import { aMailServer, mailText } from '@deputize/testing/a-mail-server.ts'
import { aServer } from '@deputize/testing/a-server.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { MessageDesk } from '../../src/operations/notifications/message-desk.ts'
import { type Agent, aKeyedApp, anAgent, aPerson, type Client } from './a-keyed-app.ts'

const scope = { after }
export const CHANNELS = '/v1/vat/notifications/channels'

/** A receiver of webhooks for Slack, Teams or any other service. */
export async function aReceiver() {
  const posts: { readonly headers: NodeJS.Dict<string | string[]>; readonly text: string }[] = []
  const state: { status: number; body: string; held?: Promise<unknown> } = { status: 200, body: '' }
  let attempts = 0
  const url = await aServer(scope, (request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      attempts += 1
      if (state.status < 300) posts.push({ headers: request.headers, text })
      await state.held
      response.writeHead(state.status).end(state.body)
    })
  })
  return { url: `${url}/hook`, posts, state, attempts: () => attempts }
}

/** A keyed service with a mail server, a person, and an agent of theirs that needs approval to write. */
export async function aWorld(
  tenant: Record<string, unknown> = {},
  options: { outbound_allow?: string } = {},
) {
  const mail = await aMailServer(scope)
  const app = await aKeyedApp(scope, { mail_port: mail.port, ...options })
  if (Object.keys(tenant).length > 0)
    assert.equal((await app.operator.call('PATCH', '/v1/vat/tenants/default', tenant)).status, 200)
  const developer = app.withKey(await app.key('default', 'developer'))
  const agent = await anAgent(app, developer, {
    agent_id: 'shopping-bot',
    constraints: { max_spend_usd: 200, require_approval: { actions: ['write'], auto_approve_after: 1 } },
  })
  await developer.post('/v1/vat/agents', { agent_id: 'shopping-bot', display_name: 'Shopping assistant' })
  const person = await aPerson(app, 'default', agent.human_ref)
  const desk = new MessageDesk(app.test.context)
  after(() => desk.close())
  return { app, mail, developer, agent, person, desk }
}
export type World = Awaited<ReturnType<typeof aWorld>>

let asked = 0
/** Requests an approval. Each request is different, so no decision answers another one. */
export async function ask({ client, jti }: Agent, more: Record<string, unknown> = {}): Promise<string> {
  asked += 1
  const request = { vat_jti: jti, action: 'write', resource: 'calendar:events', metadata: { number: asked } }
  const { body } = await client.post('/v1/vat/authorize', { ...request, spend_usd: 5, ...more })
  assert.ok(body.approval_id, JSON.stringify(body))
  return body.approval_id
}

/** Adds an email channel and confirms it with its code. */
export async function addMail(
  client: Client,
  mail: World['mail'],
  more: Record<string, unknown> = {},
): Promise<string> {
  const id = await add(client, { kind: 'email', address: 'sam@example.com', ...more })
  const [, code = ''] = /Code: (\d{8})/.exec(mailText(mail.mails.at(-1) ?? { text: '' })) ?? []
  assert.equal((await client.post(`${CHANNELS}/${id}/confirm`, { code })).status, 200)
  mail.mails.length = 0
  return id
}

export async function add(client: Client, body: Record<string, unknown>): Promise<string> {
  const answer = await client.post(CHANNELS, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.channel_id
}

/** Runs the desk until `look` finds something. */
export function told<T>(what: string, { desk }: World, look: () => T | undefined | false): Promise<T> {
  return eventually(what, async () => {
    await desk.runOnce()
    return look()
  })
}

const TOLD = /"type":"(approval\.(requested|escalated)|agent\.suspended|alert\.fired|webhook\.disabled)"/

/** Runs the desk until it has seen the whole log, and sends what is due. */
export async function settle(world: World): Promise<void> {
  const { app, desk } = world
  const last = (await app.test.leafTexts()).findLastIndex((leaf) => TOLD.test(leaf))
  await eventually('the desk has seen the log', async () => {
    await desk.runOnce()
    const entry = await app.test.context.ephemeral.get('message', 'cursor')
    return entry === undefined ? last < 0 : Number(entry.value) > last
  })
  await desk.runOnce()
}
