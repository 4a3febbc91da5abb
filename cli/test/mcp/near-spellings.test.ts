import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aGuardedClient, aService, denialIn } from '@deputize/testing/a-guarded-client.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { MappingError, readToolMapping } from '../../src/mcp/tool-mapping.ts'
import { aGuard, aListener, connected } from './a-listening-guard.ts'

const SERVER = fileURLToPath(new URL('a-lenient-server.ts', import.meta.url))
/** The agent may read but not write. Carelessly, the mapping treats tools without a rule as reads. */
const CARELESS = {
  server: 'files',
  tools: { write_file: { action: 'write' } },
  default: { action: 'read' },
}
const NEAR_TOOLS = [
  'Write_File',
  'WRITE_FILE',
  'write-file',
  'writeFile',
  'write_file ',
  'ｗｒｉｔｅ_ｆｉｌｅ',
  'write\u200b_file',
  'wrıte_file',
  'wríte_file',
]
const NEAR_METHODS = [
  'Tools/Call',
  'TOOLS/CALL',
  'tools/Call',
  'tools／call',
  'ｔｏｏｌｓ/call',
  'tools/call ',
  'tools/call/',
  'tools.call',
  'toolsCall',
]

interface Guarded {
  readonly client: Client
  readonly transport: Transport
  /** The tools that the server has executed. */
  executed(): string[]
}

const { program, token } = await aService({ after })

async function places(scope: TestScope, mapping: object) {
  const directory = temporaryDirectory(scope)
  const [config, executed] = [join(directory, 'map.json'), join(directory, 'executed')]
  writeFileSync(config, JSON.stringify(mapping))
  const { compact_jwt } = await token({ actions: ['read'] })
  const read = () => (existsSync(executed) ? readFileSync(executed, 'utf8').trim().split('\n') : [])
  return { config, executed, compact_jwt, read }
}

const GUARDS: Readonly<Record<string, (scope: TestScope, mapping: object) => Promise<Guarded>>> = {
  async 'standard streams'(scope, mapping) {
    const { config, executed, compact_jwt, read } = await places(scope, mapping)
    const { client, transport } = await aGuardedClient(scope, {
      url: program.url,
      token: compact_jwt,
      options: ['--config', config],
      command: [process.execPath, SERVER],
      env: { EXECUTED: executed },
    })
    return { client, transport, executed: read }
  },
  async HTTP(scope, mapping) {
    const { config, executed, compact_jwt, read } = await places(scope, mapping)
    const port = await freePort()
    await aListener(scope, [SERVER, String(port)], { EXECUTED: executed })
    const options = ['--server', 'files', '--config', config]
    const { guard } = await aGuard(scope, program.url, `http://127.0.0.1:${port}/mcp`, compact_jwt, options)
    const client = await connected(scope, guard)
    const { transport } = client
    return { client, transport: transport ?? assert.fail('the client is not connected'), executed: read }
  },
}

/** Sends a message unchanged. Over HTTP, a refused message is a transport error. */
async function send({ transport }: Guarded, message: object): Promise<void> {
  await transport.send(message as JSONRPCMessage).catch(() => undefined)
}

for (const [name, guarded] of Object.entries(GUARDS))
  describe(`an MCP guard over ${name}, before a server that reads names leniently`, () => {
    test('passes no near spelling of a tool, whatever the default says', async (t) => {
      const guard = await guarded(t, CARELESS)
      for (const tool of NEAR_TOOLS) {
        const denied = await guard.client.callTool({ name: tool, arguments: {} })
        assert.deepEqual([denied.isError, denialIn(denied).code], [true, 'tool_not_mapped'], tool)
      }
      const denied = await guard.client.callTool({ name: 'write_file', arguments: {} })
      assert.deepEqual(denialIn(denied).reasons, ['action_not_in_scope'])
      assert.notEqual((await guard.client.callTool({ name: 'read_file', arguments: {} })).isError, true)
      assert.deepEqual(guard.executed(), ['readfile'])
    })

    test('passes no near spelling of a method, as a request or a notification', async (t) => {
      const guard = await guarded(t, CARELESS)
      const params = { name: 'write_file', arguments: {} }
      for (const [at, method] of NEAR_METHODS.entries()) {
        await send(guard, { jsonrpc: '2.0', id: `near-${at}`, method, params })
        await send(guard, { jsonrpc: '2.0', method, params })
      }
      await send(guard, { jsonrpc: '2.0', id: 'x', ｍethod: 'tools/call', params })
      // The guard handles messages in order, so the server has seen everything before this one.
      assert.notEqual((await guard.client.callTool({ name: 'read_file', arguments: {} })).isError, true)
      await eventually('the call', async () => guard.executed()[0])
      assert.deepEqual(guard.executed(), ['readfile'])
    })

    test('denies every tool that a mapping with tools does not list', async (t) => {
      const guard = await guarded(t, { server: 'files', tools: { read_file: { action: 'read' } } })
      const denied = await guard.client.callTool({ name: 'format_disk', arguments: {} })
      assert.equal(denialIn(denied).code, 'tool_not_mapped')
      assert.notEqual((await guard.client.callTool({ name: 'read_file', arguments: {} })).isError, true)
      assert.deepEqual(guard.executed(), ['readfile'])
    })
  })

describe('a mapping', () => {
  test('passes more methods by name, but no near spelling of a known one', () => {
    assert.deepEqual(readToolMapping({ methods: ['acme/sync'] }, 's').methods, ['acme/sync'])
    assert.throws(() => readToolMapping({ methods: ['Tools/Call'] }, 's'), MappingError)
  })

  test('without tools applies its default to all plain names, and deny denies them', () => {
    assert.equal(readToolMapping({}, 's').ruleFor('anything')?.action, 'call')
    assert.equal(readToolMapping({}, 's').ruleFor('any\u200bthing'), undefined)
    assert.equal(readToolMapping({ default: 'deny' }, 's').ruleFor('anything'), undefined)
  })
})
