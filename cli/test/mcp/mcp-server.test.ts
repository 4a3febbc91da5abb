import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { type AgentKey, deputy, newAgentKey } from '@deputize/sdk'
import { aGuardedClient, aService, denialIn } from '@deputize/testing/a-guarded-client.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

async function anMcpClient(t: TestContext, env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'a-test', version: '1.0.0' })
  t.after(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp'],
      env: { PATH: process.env.PATH ?? '', ...env },
      stderr: 'ignore',
    }),
  )
  return client
}

function structured({ structuredContent }: CallToolResult): Record<string, unknown> {
  return { ...(structuredContent as object) }
}

describe('deputy mcp', async () => {
  const scope = { after }
  const { program, token } = await aService(scope)

  test('offers the operations with their input schemas, from issuing to revoking', async (t) => {
    const client = await anMcpClient(t, { DEPUTY_URL: program.url })
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      [
        'issue',
        'delegate',
        'authorize',
        'record',
        'complete',
        'feedback',
        'reputation',
        'provenance',
        'revoke',
      ],
    )
    const complete = tools.find(({ name }) => name === 'complete')
    assert.deepEqual(complete?.inputSchema.required, ['id', 'result'])
    const call = async (name: string, input: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: input })
      assert.notEqual(result.isError, true, JSON.stringify(result))
      return structured(result)
    }
    const { jti, provenance_ref } = await call('issue', {
      developer_email: 'dev@example.com',
      agent_id: 'tool-bot',
      resources: ['files:notes'],
      actions: ['read', 'delegate'],
    })
    const child = await call('delegate', { vat_jti: jti, agent_id: 'sub-bot' })
    const scoped = { vat_jti: child.jti, action: 'read', resource: 'files:notes' }
    const { aar_id } = await call('authorize', scoped)
    assert.equal((await call('complete', { id: aar_id, result: 'success' })).state, 'completed')
    const recorded = await call('record', { ...scoped, result: 'success' })
    assert.equal((await call('feedback', { id: recorded.aar_id, rating: 'approved' })).rating, 'approved')
    assert.equal((await call('reputation', { agent_id: 'sub-bot' })).agent_id, 'agent:sub-bot')
    assert.equal((await call('provenance', { ref: provenance_ref })).total_records, 2)
    assert.equal((await call('revoke', { vat_jti: jti })).revoked, true)
    assert.deepEqual((await call('authorize', scoped)).reasons, ['token_revoked'])
  })

  test('returns a refusal as an error with the problem', async (t) => {
    const client = await anMcpClient(t, { DEPUTY_URL: program.url })
    const unknown = await client.callTool({ name: 'revoke', arguments: { vat_jti: 'vat_root_unknown' } })
    assert.equal(unknown.isError, true)
    assert.equal(structured(unknown).code, 'token_unknown')
    const invalid = await client.callTool({ name: 'issue', arguments: { agent_id: 'x' } })
    assert.equal(invalid.isError, true)
    assert.equal(structured(invalid).code, 'invalid_request')
    assert.ok(Array.isArray(structured(invalid).errors))
    const pathless = await client.callTool({ name: 'reputation', arguments: {} })
    assert.equal(pathless.isError, true)
  })

  test('works behind the guard, also in the newest protocol revision', async (t) => {
    const { compact_jwt, jti, provenance_ref } = await token({ resources: ['mcp:deputy'] })
    for (const mode of ['legacy', 'auto'] as const) {
      const { client } = await aGuardedClient(t, {
        url: program.url,
        token: compact_jwt,
        options: ['--server', 'deputy'],
        command: [process.execPath, CLI, 'mcp', '--url', program.url],
        client: { versionNegotiation: { mode } },
      })
      const told = await client.callTool({ name: 'provenance', arguments: { ref: provenance_ref } })
      assert.equal(structured(told).provenance_ref, provenance_ref)
      if (mode === 'legacy') continue
      assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
      await client.callTool({ name: 'revoke', arguments: { vat_jti: jti } })
      const denied = await client.callTool({ name: 'provenance', arguments: { ref: provenance_ref } })
      assert.deepEqual(denialIn(denied).reasons, ['token_revoked'])
    }
  })
})

describe('the guard in keyed mode', () => {
  test('acts only with a token that is bound to a key', async (t) => {
    const { url, output } = await aProgram(t, temporaryDirectory(t), {
      DEPUTY_ACCESS: 'keyed',
      PORT: String(await freePort()),
    })
    const [setup_secret = ''] = /dsu_[\w-]+/.exec(output()) ?? []
    const { key: operator } = await deputy({ url }).setUp({ setup_secret })
    const { key } = await deputy({ url, key: operator }).createKey({ name: 'backend', role: 'developer' })
    const developer = deputy({ url, key })
    const agent_key = await newAgentKey()
    const { compact_jwt, provenance_ref } = await developer.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'mcp-bot',
      resources: ['mcp:deputy'],
      actions: ['call'],
      agent_jwk: agent_key.jwk,
    })
    const guarded = async (holder: AgentKey) => {
      const { client } = await aGuardedClient(t, {
        url,
        token: compact_jwt,
        options: ['--server', 'deputy'],
        command: [process.execPath, CLI, 'mcp', '--url', url],
        env: { DEPUTY_AGENT_KEY: JSON.stringify(await holder.exportJwk()) },
      })
      return client.callTool({ name: 'provenance', arguments: { ref: provenance_ref } })
    }
    // The server behind the guard got no credential, and says so; the guard authorized with the token and its key.
    assert.equal(structured(await guarded(agent_key)).code, 'credential_required')
    const { data } = await developer.listRecords({ provenance_ref })
    assert.deepEqual(
      data.map(({ state, result }) => [state, result]),
      [['completed', 'error']],
    )
    const stolen = await guarded(await newAgentKey())
    assert.equal(stolen.isError, true)
    assert.equal(typeof denialIn(stolen).code, 'string')
    assert.equal((await developer.listRecords({ provenance_ref })).data.length, 1)
  })
})
