import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { callerOf, runDeputy } from './run-deputy.ts'

const scope = { after }

/** A service that answers as another does, except where `change` returns another text. */
async function aLyingService(url: string, change: (path: string, text: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', url))
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

describe('the trust graph in a terminal', async () => {
  const { url, client, token } = await anOpenDeployment(scope)
  const { words, json } = callerOf(url)
  const person = async (name: string, agent_id: string) =>
    (await token({ developer_email: `${name}@example.com`, agent_id })).claims.svc_human_ref
  const ada = await person('ada', 'bot-of-ada')
  const ben = await person('ben', 'bot-of-ben')
  await person('cleo', 'trip-bot')
  const state = join(temporaryDirectory(scope), 'state')

  /** Verifies up to the newest leaf: the log signs once a second. */
  async function verify(target: string, ...args: string[]) {
    const { log_index } = (await client.listVouches({})).data[0] ?? { log_index: -1 }
    for (;;) {
      const run = await runDeputy(['verify', target, '--state', state, '--trust', '--json', ...args])
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

  test('deputy vouch gives a word, and deputy trust show draws its way', async () => {
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
    const one = await runDeputy(['verify', url, '--state', state, '--trust', '--subject', 'agent:trip-bot'])
    assert.match(one.stdout, /score {6}agent:trip-bot: 0\.285714 \(flow 0\.4\), equal to that of the service/)
  })

  test('deputy verify --trust finds a service that answers another score, or other paths', async () => {
    const boasting = await aLyingService(url, (_, text) => text.replace('"score":0.285714', '"score":0.9'))
    const { status, facts } = await verify(boasting)
    assert.deepEqual([status, facts.code], [1, 'score_differs'], JSON.stringify(facts))
    assert.match(facts.sentence, /score is 0\.285714 by the log and 0\.9 by the service/)
    const hiding = await aLyingService(url, (_, text) => text.replace(/"cut":\[.*?\]/, '"cut":[]'))
    assert.equal((await verify(hiding)).facts.code, 'score_differs')
  })

  test('deputy verify --trust finds a service that answers for another log, or for somebody else', async () => {
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
    const of = (...args: string[]) => runDeputy(['verify', ...args, '--state', state])
    assert.match((await of(url, '--trust', '--subject', 'agent:nobody')).stderr, /does not know agent:nobody/)
    assert.match((await of(url, '--trust', '--quick')).stderr, /--quick cannot be combined with --trust/)
    assert.match((await of(url, '--subject', 'agent:trip-bot')).stderr, /--subject needs --trust/)
  })

  test('a withdrawn vouch carries nothing from the next answer on', async () => {
    const { data } = await client.listVouches({ from: ben })
    assert.match(await words(0, 'trust', 'withdraw', data[0]?.vouch_id ?? ''), /does not count/)
    assert.match(await words(0, 'trust', 'show', 'agent:trip-bot'), /score {8}0\.000000/)
    assert.equal((await verify(url)).status, 0)
  })
})
