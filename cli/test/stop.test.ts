import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { rawExchange, rawRequest } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { inTurn, someNodes } from '@deputize/testing/some-nodes.ts'
import { runDeputy } from './commands/run-deputy.ts'

const UNKNOWN = `vat_root_${'0'.repeat(36)}`
const anAction = (vat_jti: string) => ({ vat_jti, action: 'read', resource: 'calendar:events' })

async function aToken(client: Pick<HttpClient, 'post'>, agent_id = 'calendar-bot') {
  const { status, body } = await client.post('/v1/vat/issue/l1', anIssueRequest({ agent_id }))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const reasonsOf = async (client: Pick<HttpClient, 'post'>, vat_jti: string): Promise<string[]> =>
  (await client.post('/v1/vat/authorize', anAction(vat_jti))).body.reasons ?? []

async function stop(status: number, ...args: string[]): Promise<string> {
  const ended = await runDeputy(['stop', ...args])
  assert.equal(ended.status, status, `${args.join(' ')}\n${ended.stdout}${ended.stderr}`)
  return ended.stdout + ended.stderr
}

describe('deputy stop', () => {
  test('revokes through the service that uses the directory, though no connection reaches it', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aProgram(t, directory, { DEPUTY_CONNECTION_LIMIT: '1' })
    const client = httpClient(t, program.url)
    const [token, other] = [await aToken(client), await aToken(client, 'mail-bot')]
    client.close()
    const held = connect(Number(new URL(program.url).port), '127.0.0.1')
    t.after(() => {
      held.destroy()
    })
    // A request whose body never comes occupies the only connection.
    const { host } = new URL(program.url)
    held.write(
      `POST /v1/vat/revoke HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
    )
    await once(held, 'data') // the service waits for the body
    const isClosed = async () => {
      const request = rawRequest('GET /readyz', [`Host: ${host}`])
      return (await rawExchange(program.url, request).catch(() => '')) === ''
    }
    await eventually('no other connection is accepted', isClosed)

    const printed = await stop(0, '--data', directory, '--token', token.jti, '--reason', 'It went rogue')
    assert.equal(printed, 'Stopped: 1 token revoked.\n')
    assert.match(await stop(0, '--data', directory, '--token', token.jti), /^Already stopped/)
    assert.match(await stop(0, '--data', directory, '--agent', 'mail-bot'), /^Stopped: 1 token .*suspended/)
    assert.match(await stop(4, '--data', directory, '--token', UNKNOWN), /jti/)
    held.destroy()
    const again = httpClient(t, program.url)
    const answers = () =>
      again.get('/readyz').then(
        ({ status }) => status === 200,
        () => false,
      )
    await eventually('it answers again', answers)
    assert.deepEqual(await reasonsOf(again, token.jti), ['token_revoked'])
    assert.deepEqual(await reasonsOf(again, other.jti), ['token_revoked', 'agent_suspended'])
    const { body } = await again.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'mail-bot' }))
    assert.equal(body.code, 'token_not_live', 'a suspended agent gets no new token')
  })

  test('revokes by itself while no service runs, with leaves that the check confirms', async (t) => {
    const directory = temporaryDirectory(t)
    const before = await aProgram(t, directory)
    const client = httpClient(t, before.url)
    const tokens = [await aToken(client), await aToken(client, 'mail-bot'), await aToken(client, 'web-bot')]
    const [first, second, third] = tokens
    await before.stop()

    assert.match(await stop(0, '--data', directory, '--token', first.jti), /1 token/)
    assert.match(await stop(0, '--data', directory, '--agent', 'agent:mail-bot'), /1 token/)
    const { svc_human_ref } = first.claims
    assert.match(
      await stop(0, '--data', directory, '--human', svc_human_ref),
      new RegExp(
        `^Stopped: .* New tokens can still be issued .*: deputy people refuse ${svc_human_ref} ends that\\.\n$`,
      ),
    )
    const left = await stop(0, '--data', directory, '--all-of-tenant', 'default', '--json')
    assert.deepEqual(JSON.parse(left), { revoked_count: 0, already_stopped: true })
    const checked = await runDeputy(['check', '--data', directory])
    assert.equal(checked.status, 0, checked.stdout + checked.stderr)

    const after = await aProgram(t, directory)
    const again = httpClient(t, after.url)
    for (const { jti } of [first, second, third])
      assert.equal((await reasonsOf(again, jti))[0], 'token_revoked')
    const types = (await leafTypes(again)).filter((type) => type !== 'action.denied')
    assert.deepEqual(types.slice(-4), ['token.revoked', 'agent.revoked', 'agent.suspended', 'human.revoked'])
  })

  test('revokes every token of a tenant', async (t) => {
    const directory = temporaryDirectory(t)
    const program = await aProgram(t, directory)
    const client = httpClient(t, program.url)
    const tokens = await Promise.all(Array.from({ length: 5 }, (_, n) => aToken(client, `bot-${n}`)))
    assert.match(await stop(0, '--data', directory, '--all-of-tenant', 'default'), /5 tokens revoked/)
    for (const { jti } of tokens) assert.deepEqual(await reasonsOf(client, jti), ['token_revoked'])
  })

  test('says what is missing', async (t) => {
    const directory = temporaryDirectory(t)
    assert.match(await stop(2, '--data', directory), /--token, --agent, --human or --all-of-tenant/)
    assert.match(await stop(2, '--token', 'a', '--agent', 'b'), /cannot be used with/)
    assert.match(await stop(78, '--data', directory, '--token', UNKNOWN), /no deployment in/)
    assert.match(await stop(2, '--database', 'mysql://x', '--token', UNKNOWN), /postgres:/)
    writeFileSync(join(directory, 'deputy.db'), '')
    mkdirSync(join(directory, 'deputy.lock')) // can't be opened, like any file on a read-only disk
    assert.match(
      await stop(78, '--data', directory, '--token', UNKNOWN),
      /can't access .* the owner or the mode/,
    )
  })

  test('revokes in a shared database, and every node sees it', async (t) => {
    const cluster = await someNodes(t, 2)
    const { DEPUTY_MASTER_KEY_FILE: master_key } = cluster.env
    const client = inTurn(cluster.nodes.map((node) => node.client))
    const token = await aToken(client)
    const place = ['--database', cluster.url, '--master-key', master_key]
    assert.match(await stop(0, ...place, '--agent', 'calendar-bot', '--reason', 'Enough'), /1 token/)
    for (const node of cluster.nodes)
      assert.deepEqual(await reasonsOf(node.client, token.jti), ['token_revoked', 'agent_suspended'])
    assert.match(await stop(4, ...place, '--token', UNKNOWN), /jti/)
  })

  test('takes the time from a shared database, whatever the clock of the machine says', async (t) => {
    const cluster = await someNodes(t, 1)
    const [{ client } = assert.fail('no node')] = cluster.nodes
    const [kept, stopped] = [await aToken(client), await aToken(client, 'mail-bot')]
    const place = ['--database', cluster.url, '--master-key', cluster.env.DEPUTY_MASTER_KEY_FILE]
    const ended = await runDeputy(['stop', ...place, '--token', stopped.jti], clockAhead(48 * 3_600_000))
    assert.equal(ended.status, 0, ended.stderr)
    assert.deepEqual(await reasonsOf(client, stopped.jti), ['token_revoked'])
    assert.deepEqual(await reasonsOf(client, kept.jti), [], 'no other token expires')
    const { body } = await client.get('/v1/vat/log/entries?start=0&limit=100')
    for (const { leaf } of body.data) assert.ok(Date.parse(JSON.parse(leaf).at) <= Date.now() + 5_000, leaf)
  })
})

/** The environment of a program whose wall clock is ahead. */
function clockAhead(ahead_ms: number): Record<string, string> {
  const code = `const now = Date.now; Date.now = () => now() + ${ahead_ms}`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

async function leafTypes(client: HttpClient): Promise<string[]> {
  const { body }: Answer = await client.get('/v1/vat/log/entries?start=0&limit=100')
  return body.data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).type)
}
