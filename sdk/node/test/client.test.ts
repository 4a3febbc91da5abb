import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, describe, test } from 'node:test'
import { DeputyError, deputy, isDeputyError } from '@deputize/sdk'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'

const { client, url, token } = await anOpenDeployment({ after })

const failure = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail('it went well'),
    (error: unknown) => {
      assert.ok(error instanceof DeputyError, String(error))
      return error
    },
  )

describe('a call', () => {
  test('puts each part of its input into the path, query or body', async () => {
    const { jti, provenance_ref } = await token()
    const decision = await client.authorize({ vat_jti: jti, action: 'read', resource: 'calendar:events' })
    assert(decision.authorized)
    const { aar_id } = decision
    const done = await client.completeRecord({ id: aar_id, result: 'success', metadata: { found: 3 } })
    assert.deepEqual([done.state, done.metadata], ['completed', { found: 3 }])
    const { data } = await client.listRecords({ provenance_ref, state: 'completed', limit: 1 })
    assert.deepEqual(
      data.map((record) => record.aar_id),
      [aar_id],
    )
    assert.equal((await client.cancelRecord({ id: aar_id }).catch((error) => error)).code, 'record_closed')
  })

  test('encodes names with slashes and spaces', async () => {
    await client.registerAgent({ agent_id: 'team/bot@home', display_name: 'Bot' })
    assert.equal((await client.getAgent({ agent_id: 'team/bot@home' })).agent_id, 'agent:team/bot@home')
    assert.equal((await failure(client.getRecord({ id: 'no such/../record?x=1' }))).code, 'record_unknown')
    await assert.rejects(client.getRecord({ id: '..' }), TypeError)
    await assert.rejects(client.getRecord({ id: '' }), TypeError)
  })

  test('handles texts, bytes and forms', async () => {
    const { compact_jwt } = await token()
    assert.match(await client.getStatusList(), /^eyJ/)
    assert.equal((await client.introspectToken({ token: compact_jwt })).active, true)
    const size = await eventually('a checkpoint', async () => {
      const [, leaves = ''] = (await client.getCheckpoint()).split('\n')
      return Number(leaves) > 0 ? leaves : undefined
    })
    const tile = await client.getTile({ level: '0', index: `000.p/${size}` })
    assert.ok(tile instanceof Uint8Array)
    assert.equal(tile.length, 32 * Number(size))
  })
})

describe('a refusal', () => {
  test('is an error with code, status, problem and request ID', async () => {
    const error = await failure(client.getToken({ jti: 'vat_root_none' }))
    assert.deepEqual([error.code, error.status, error.problem.status], ['token_unknown', 404, 404])
    assert.ok(error.request_id !== undefined && error.request_id === error.problem.request_id)
    assert.ok(isDeputyError(error, 'token_unknown') && !isDeputyError(error, 'scope_widening'))
    assert.ok(!isDeputyError(new Error('token_unknown')))
  })

  test('says what is wrong and then how to fix it', async () => {
    const { message, problem } = await failure(client.getToken({ jti: 'vat_root_none' }))
    assert.equal(message, `${problem.title}. ${problem.detail}`)
    const answering = (body: object): typeof fetch => {
      const headers = { 'content-type': 'application/problem+json' }
      return async () =>
        new Response(JSON.stringify({ code: 'not_found', ...body }), { status: 404, headers })
    }
    const bodies = [
      { title: 'Not here', detail: 'Not here: look there.' },
      { title: 'Not here', detail: 'No. Not here. Look there.' },
      { title: 'Not here' },
      {},
    ]
    const messages = bodies.map(
      async (body) => (await failure(deputy({ url, fetch: answering(body) }).getHealth())).message,
    )
    assert.deepEqual(await Promise.all(messages), [
      'Not here: look there.',
      'No. Not here. Look there.',
      'Not here',
      'not_found',
    ])
  })

  test('carries the members that the service adds', async () => {
    const { jti } = await token()
    const error = await failure(
      client.delegate({ vat_jti: jti, agent_id: 'sub', resources: ['files:tax'], actions: ['read'] }),
    )
    assert.ok(isDeputyError(error, 'scope_widening'))
    assert.deepEqual(error.problem.widening, ['files:tax'])
  })

  test('names an unknown field in the body and in the query', async () => {
    const request = { ...anIssue(), constraint: { max_spend_usd: 1 } }
    const issued = await failure(client.issueL1(request))
    assert.equal(issued.problem.errors?.[0]?.pointer, '/constraint')
    const query = { agent: 'bot' }
    const listed = await failure(client.listRecords(query as object))
    assert.equal(listed.problem.errors?.[0]?.pointer, '?agent')
  })

  test('of a token exchange has the OAuth error', async () => {
    const { compact_jwt } = await token({ actions: ['read'] })
    const error = await failure(
      client.exchangeToken({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: compact_jwt,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        scope: 'delete@calendar:events',
        agent_id: 'sub',
      }),
    )
    assert.deepEqual([error.code, error.status], ['oauth_refused', 400])
    assert.equal(typeof error.problem.error, 'string')
  })

  test('from another server has the code unexpected_answer', async (t) => {
    const server = createServer((call, answer) => {
      const isPage = call.url !== '/v1/vat/status'
      answer.writeHead(call.url === '/healthz' || !isPage ? 200 : 404, { 'content-type': 'text/html' })
      answer.end(isPage ? '<h1>Welcome</h1>' : 'null')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const other = deputy({ url: `http://127.0.0.1:${port}` })
    const page = await failure(other.getHealth())
    assert.deepEqual([page.code, page.status], ['unexpected_answer', 200])
    assert.match(page.message, /Check the URL of the service\.$/)
    const nothing = await failure(other.getServiceStatus())
    assert.deepEqual([nothing.code, nothing.message], [page.code, page.message])
    const missing = await failure(other.getRecord({ id: 'x' }))
    assert.deepEqual([missing.code, missing.status], ['unexpected_answer', 404])
  })
})

describe('a list', () => {
  test('is iterated page by page, each entry once', async () => {
    const { jti, provenance_ref } = await token()
    const items = Array.from({ length: 25 }, (_, index) => ({
      vat_jti: jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      metadata: { index },
    }))
    await client.recordBatch({ items })
    const seen: unknown[] = []
    for await (const { metadata } of client.listRecords.all({ provenance_ref, limit: 4 }))
      seen.push(metadata?.index)
    assert.deepEqual(
      seen.sort((a, b) => Number(a) - Number(b)),
      items.map(({ metadata }) => metadata.index),
    )
  })

  test('is not read further after the consumer stops', async () => {
    let requests = 0
    const counted: typeof fetch = (...request) => {
      requests += 1
      return fetch(...request)
    }
    const counting = deputy({ url, fetch: counted })
    for await (const record of counting.listRecords.all({ limit: 2 })) {
      assert.ok(record.aar_id)
      break
    }
    assert.equal(requests, 1)
  })

  test('of the log continues by index', async () => {
    const indexes: number[] = []
    for await (const { index } of client.listLogEntries.all({ limit: 7 })) indexes.push(index)
    assert.deepEqual(
      indexes,
      Array.from(indexes, (_, place) => place),
    )
    assert.ok(indexes.length > 14)
  })
})

describe('a download', () => {
  test('is read line by line as it arrives', async () => {
    const { jti, provenance_ref: ref } = await token()
    await client.recordAction({
      vat_jti: jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
    })
    const download = await client.exportWorkflow({ ref, format: 'ndjson' })
    assert.deepEqual([download.media_type, download.file_name], ['application/x-ndjson', `${ref}.ndjson`])
    const lines: string[] = []
    for await (const line of download.lines()) lines.push(JSON.parse(line).action)
    assert.deepEqual(lines, ['read'])
    assert.match(await (await client.exportWorkflow({ ref, format: 'csv' })).text(), /^aar_id,/)
  })

  test('may take longer than the timeout of its call, until its reader aborts', async () => {
    const { provenance_ref: ref } = await token()
    const ending = new AbortController()
    const download = await client.exportWorkflow(
      { ref, format: 'csv' },
      { signal: ending.signal, timeout_ms: 2_000 },
    )
    ending.abort(new Error('enough'))
    await assert.rejects(download.text())
  })
})

describe('waiting', () => {
  test('for an approval returns as soon as a person has decided, even beyond the timeout', async () => {
    const { jti } = await token({ constraints: { require_approval: {} } })
    const asked = await client.authorize({ vat_jti: jti, action: 'write', resource: 'calendar:events' })
    const { approval_id: id = '' } = asked
    setTimeout(() => client.approve({ id }), 700)
    const impatient = deputy({ url, timeout_ms: 300, retries: 0 })
    assert.equal((await impatient.getApproval({ id, wait: 30 })).state, 'approved')
  })

  test("ends with the caller's reason when the caller aborts", async () => {
    const { jti } = await token({ constraints: { require_approval: {} } })
    const { approval_id: id = '' } = await client.authorize({
      vat_jti: jti,
      action: 'read',
      resource: 'calendar:events',
    })
    const signal = AbortSignal.timeout(100)
    await assert.rejects(client.getApproval({ id, wait: 10 }, { signal }), { name: 'TimeoutError' })
    await assert.rejects(client.getHealth({}, { signal }), { name: 'TimeoutError' })
  })
})

describe('the client', () => {
  test('sends credentials over https only, except to this machine', () => {
    assert.throws(() => deputy({ url: 'http://deputy.example', key: 'dk_x' }), TypeError)
    assert.throws(() => deputy({ url: 'http://127.0.0.1.evil.example', key: 'dk_x' }), TypeError)
    for (const local of ['http://localhost:1', 'http://[::1]:1', 'https://deputy.example'])
      assert.equal(deputy({ url: `${local}/`, key: 'dk_x' }).url, local)
    assert.ok(deputy({ url: 'http://deputy.example', key: 'dk_x', allow_http: true }))
    assert.throws(() => deputy({ url, key: 'dk_x', token: 'a.b.c' }), TypeError)
  })
})

function anIssue() {
  return { developer_email: 'dev@example.com', agent_id: 'bot', resources: ['a:b'], actions: ['read'] }
}
