import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { aTestApp, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { callerOf, runCommand } from './run-deputy.ts'

const scope = { after }

/** A service that passes on another service's answers, with scores changed by `change`. */
async function aLyingService(url: string, change: (path: string, text: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(new URL(request.url ?? '/', url), { headers })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const path = request.url ?? '/'
    const isScore = path.includes('/trust/scores/')
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(isScore ? change(path, bytes.toString('utf8')) : bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** More than fits on a page of any list. */
const MANY = 205

describe('deputy verify --trust in keyed mode', async () => {
  const app = await aTestApp(scope, { access: 'keyed' })
  app.clock.advance(10_000)
  const home = temporaryDirectory(scope)

  async function call(path: string, body: object, headers: Record<string, string>) {
    const { status, body: answer } = await app.post(path, body, headers)
    assert.ok(status < 300, JSON.stringify(answer))
    return answer
  }

  const { key: first } = await call('/v1/vat/setup', { setup_secret: app.accessControl.setup?.secret }, {})
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  await call('/v1/vat/tenants', { tenant_id: 'acme' }, bearer(first))

  async function aKey(tenant_id: string, role: string) {
    const { key } = await call('/v1/vat/keys', { name: role, role, tenant_id }, bearer(first))
    const file = join(home, `${tenant_id}-${role}`)
    writeFileSync(file, key)
    return { key: String(key), file }
  }

  /** Signs a person of the tenant in. Returns the headers that they send with each call. */
  async function signedIn(tenant_id: string, human_ref: string) {
    const { secret, csrf_token } = await app.accessControl.sessions.create({
      tenant_id,
      human_ref,
      human_refs: [human_ref],
      assurance_level: 'L2',
      amr: ['pwd'],
      auth_time_ms: app.clock(),
      sign_on: undefined,
    })
    return { cookie: `deputy_session=${secret}`, origin: TEST_URL, 'deputy-csrf': csrf_token }
  }

  /** Has a person of a tenant vouch for some of its agents. Returns the file with an auditor's key. */
  async function someVouches(tenant_id: string, digit: string, agents: number): Promise<string> {
    const developer = await aKey(tenant_id, 'developer')
    const person = await signedIn(tenant_id, `sha256:${digit.repeat(64)}`)
    for (let agent = 0; agent < agents; agent += 1) {
      const agent_id = `bot-${agent}`
      await call('/v1/vat/agents', { agent_id, display_name: agent_id }, bearer(developer.key))
      await call('/v1/vat/trust/vouches', { to: `agent:${agent_id}` }, person)
    }
    return (await aKey(tenant_id, 'auditor')).file
  }

  const auditor = await someVouches('default', '1', 1)
  const acme = await someVouches('acme', '2', MANY)
  const url = await app.listen()
  await app.context.log.checkpointSigner.covering(await app.logSize())
  const args = (target: string) => [
    ...['verify', target, '--state', join(home, 'state')],
    ...['--api-key-file', auditor, '--trust'],
  ]
  const verify = async (target: string, ...more: string[]) => {
    const { status, stdout } = await runCommand([...args(target), ...more, '--json'])
    return { status, facts: JSON.parse(stdout) }
  }

  test('compares every score of every tenant that it has a key for', async () => {
    const { status, facts } = await verify(url, '--tenant-key', `acme=${acme}`)
    assert.equal(status, 0, JSON.stringify(facts))
    const { scores, unknown, without_key, subjects } = facts.trust
    assert.deepEqual([subjects, scores.length, unknown, without_key], [MANY + 1, MANY + 1, [], {}])
    for (const { flow } of scores) assert.equal(flow, 0.7)
    assert.deepEqual([scores[0].tenant_id, scores[0].subject], ['default', 'agent:bot-0'])
    assert.deepEqual([scores[MANY].tenant_id, scores[MANY].subject], ['acme', `agent:acme:bot-${MANY - 1}`])
  })

  test('says which tenants it has no key for', async () => {
    const { status, stdout } = await runCommand(args(url))
    assert.equal(status, 0, stdout)
    assert.match(stdout, /score {6}agent:bot-0: 0\.411764/)
    assert.match(stdout, /skipped {4}205 of the tenant acme; compare them with --tenant-key acme=<file>/)
    const without = await verify(url, '--subject', 'agent:acme:bot-7')
    assert.equal(without.status, 2)
    assert.match(
      without.facts.sentence,
      /belongs to the tenant acme\. Pass one of its keys with --tenant-key/,
    )
    const one = await verify(url, '--subject', 'agent:acme:bot-7', '--tenant-key', `acme=${acme}`)
    assert.equal(one.facts.trust.scores[0].flow, 0.7)
  })

  test('finds a lie in another tenant, and says which key was refused', async () => {
    const lying = await aLyingService(url, (path, text) =>
      path.includes('bot-204') ? text.replace('"flow":0.7', '"flow":0.8') : text,
    )
    const { status, facts } = await verify(lying, '--tenant-key', `acme=${acme}`)
    assert.equal(status, 1, JSON.stringify(facts))
    assert.match(facts.sentence, /agent:acme:bot-204: flow is 0\.7 by the log and 0\.8 by the service/)
    const wrong = join(home, 'wrong')
    writeFileSync(wrong, 'dk_wrong')
    const refused = await verify(url, '--tenant-key', `acme=${wrong}`)
    assert.match(refused.facts.sentence, /rejected the API key of the tenant acme/)
    const shapeless = await verify(url, '--tenant-key', acme)
    assert.match(shapeless.facts.sentence, /--tenant-key must be <tenant>=<file>/)
  })
})

describe('the trust graph in a terminal', async () => {
  const { url, client, token } = await anOpenDeployment(scope)
  const { words, json } = callerOf(url)
  const person = async (name: string, agent_id: string) =>
    (await token({ developer_email: `${name}@example.com`, agent_id })).claims.svc_human_ref
  const ada = await person('ada', 'bot-of-ada')
  const ben = await person('ben', 'bot-of-ben')
  await person('cleo', 'trip-bot')
  const state = join(temporaryDirectory(scope), 'state')

  /** Verifies until the newest vouch is covered: the log signs only once a second. */
  async function verify(target: string, ...args: string[]) {
    const { log_index } = (await client.listVouches({})).data[0] ?? { log_index: -1 }
    for (;;) {
      const run = await runCommand(['verify', target, '--state', state, '--trust', '--json', ...args])
      const facts = JSON.parse(run.stdout)
      if (facts.outcome !== 'sound' || facts.size > log_index) return { ...run, facts }
    }
  }

  test('is empty at first', async () => {
    assert.match(
      await words(0, 'trust', 'show', 'agent:trip-bot'),
      /No vouch of a verified person reaches it/,
    )
    assert.equal(await words(0, 'trust', 'ranking'), 'no vouches for agents\n')
  })

  test('deputy vouch adds a vouch, and deputy trust show draws its path', async () => {
    await words(0, 'trust', 'anchor', ada, '--base', '0.7', '--reason', 'She runs the office')
    const first = await json(0, 'vouch', ben, '--from', ada, '--weight', '0.5')
    const said = await words(0, 'vouch', 'agent:trip-bot', '--from', ben, '--note', 'Books what I ask for')
    assert.match(said, /for {5}agent:trip-bot\nweight {2}1\nnote {4}Books what I ask for\nstate {3}counts/)
    const [, second] = /vouch {3}(vch_\S+)/.exec(said) ?? []
    const shown = await words(0, 'trust', 'show', 'agent:trip-bot')
    assert.match(shown, /score {8}0\.285714\nflow {9}0\.400000\nvouches {6}2\nanchors {6}1\n/)
    const drawn = [
      'Paths',
      '  0.400000',
      ada,
      `|  vouch ${first.vouch_id}, carries up to 0.4, for`,
      `\`- ${ben}`,
      `   |  vouch ${second}, carries up to 0.64, for`,
      '   `- agent:trip-bot',
    ]
    assert.ok(shown.includes(drawn.join('\n')), shown)
    assert.ok(shown.endsWith(`Limited by\n  0.400000  vouch ${first.vouch_id}\n`), shown)
    assert.match(await words(0, 'trust', 'vouches', '--from', ben), /vch_\S+ +agent:/)
    assert.equal((await json(0, 'trust', 'show', 'agent:trip-bot', '--as', ben)).flow, 0.8)
  })

  test('deputy verify --trust computes the scores from the log and compares them', async () => {
    const { status, stdout, facts } = await verify(url)
    assert.equal(status, 0, stdout)
    const scores = new Map(
      facts.trust.scores.map((one: { subject: string; flow: number }) => [one.subject, one.flow]),
    )
    assert.deepEqual([scores.get('agent:trip-bot'), scores.get(ben), facts.trust.unknown], [0.4, 0.4, []])
    const one = await runCommand(['verify', url, '--state', state, '--trust', '--subject', 'agent:trip-bot'])
    assert.match(one.stdout, /score {6}agent:trip-bot: 0\.285714 \(flow 0\.4\), equal to that of the service/)
  })

  test('deputy verify --trust detects a service that returns a wrong score or a wrong cut', async () => {
    const boasting = await aLyingService(url, (_, text) => text.replace('"score":0.285714', '"score":0.9'))
    const { status, facts } = await verify(boasting)
    assert.deepEqual([status, facts.code], [1, 'score_differs'], JSON.stringify(facts))
    assert.match(facts.sentence, /score is 0\.285714 by the log and 0\.9 by the service/)
    const hiding = await aLyingService(url, (_, text) => text.replace(/"cut":\[.*?\]/, '"cut":[]'))
    assert.equal((await verify(hiding)).facts.code, 'score_differs')
  })

  test('deputy verify --trust detects a service that answers for another log size or another subject', async () => {
    const late = await aLyingService(url, (_, text) =>
      text.replace(/"as_of":\{"log_size":\d+/, '"as_of":{"log_size":1'),
    )
    assert.match((await verify(late)).facts.sentence, /log_size is \d+ by the log and 1 by the service/)
    const other = await aLyingService(url, (_, text) =>
      text.replace(/"subject":"agent:/, '"subject":"agent:x'),
    )
    assert.match((await verify(other)).facts.sentence, /subject is .* by the service/)
  })

  test('deputy verify --trust says what it cannot check', async () => {
    const of = (...args: string[]) => runCommand(['verify', ...args, '--state', state])
    assert.match((await of(url, '--trust', '--subject', 'agent:nobody')).stderr, /does not know agent:nobody/)
    assert.match((await of(url, '--trust', '--quick')).stderr, /--quick cannot be combined with --trust/)
    assert.match((await of(url, '--subject', 'agent:trip-bot')).stderr, /--subject needs --trust/)
  })

  test('a running service keeps the score that a token requires up to date', async () => {
    const constraints = { min_vouch_score: 0.2 }
    const { jti } = await token({ developer_email: 'dora@example.com', agent_id: 'gated-bot', constraints })
    const request = { vat_jti: jti, action: 'read', resource: 'calendar:events', dry_run: true }
    assert.equal((await client.authorize(request)).authorized, false)
    await client.vouch({ from: ada, to: 'agent:gated-bot' })
    await eventually('the vouch counts', async () => (await client.authorize(request)).authorized)
  })

  test('a withdrawn vouch carries nothing as of the next answer', async () => {
    const { data } = await client.listVouches({ from: ben })
    const vouch_id = data[0]?.vouch_id ?? ''
    assert.match(await words(0, 'trust', 'change', vouch_id, '--weight', '0.2'), /weight {2}0\.2\n/)
    assert.match(await words(0, 'trust', 'withdraw', vouch_id), /does not count/)
    assert.match(await words(0, 'trust', 'show', 'agent:trip-bot'), /score {8}0\.000000/)
    assert.equal((await verify(url)).status, 0)
  })

  test('an anchor is listed with its reason until it is removed', async () => {
    assert.match(await words(0, 'trust', 'anchors'), /^person .*\nsha256:\S+ +0\.7 +She runs/)
    assert.match(await words(0, 'trust', 'remove-anchor', ada), /is no longer named as an anchor/)
    assert.equal(await words(0, 'trust', 'anchors'), 'no anchors\n')
  })
})
