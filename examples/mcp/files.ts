/**
 * A client of the filesystem server that may read but not write. Start the service, then run
 *
 *     npx node examples/mcp/files.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deputy } from '@deputize/sdk'
import { type CallToolResult, Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const url = process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420'
const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const service = deputy({ url })
const { compact_jwt, provenance_ref } = await service.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'example',
  resources: ['mcp:files'],
  actions: ['read'],
})

const directory = mkdtempSync(join(tmpdir(), 'deputy-example-'))
const path = join(directory, 'today.txt')
writeFileSync(path, 'Buy milk')

const server = [
  process.execPath,
  fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')),
]
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [
    ...[fileOf('../../cli/bin/deputy.js'), 'mcp-guard', '--url', url],
    ...['--config', fileOf('mapping.json'), '--', ...server, directory],
  ],
  env: { PATH: process.env.PATH ?? '', DEPUTY_TOKEN: compact_jwt },
})
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(transport)

show('read', await client.callTool({ name: 'read_text_file', arguments: { path } }))
show('write', await client.callTool({ name: 'write_file', arguments: { path, content: 'Buy a yacht' } }))
await client.close()
rmSync(directory, { recursive: true })

const { total_records } = await service.getProvenance({ ref: provenance_ref })
console.log(`${total_records} call is on record under ${provenance_ref}.`)

function show(what: string, { content, isError }: CallToolResult): void {
  const [part] = content
  console.log(`${what}: ${isError === true ? 'denied' : 'done'}\n${part?.type === 'text' ? part.text : ''}\n`)
}
