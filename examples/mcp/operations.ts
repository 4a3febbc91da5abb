/**
 * An assistant for a person who manages agents: it issues, reads and revokes tokens through `deputy mcp`. Start the
 * service, then run
 *
 *     npx node examples/mcp/operations.ts
 */
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [fileURLToPath(new URL('../../cli/bin/deputy.js', import.meta.url)), 'mcp'],
  env: { PATH: process.env.PATH ?? '', DEPUTY_URL: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' },
})
const client = new Client({ name: 'example', version: '1.0.0' })
await client.connect(transport)

const token = await call('issue', {
  developer_email: 'dev@example.com',
  agent_id: 'errand-bot',
  resources: ['shop:groceries'],
  actions: ['buy'],
})
await call('record', { vat_jti: token.jti, action: 'buy', resource: 'shop:groceries', result: 'success' })
const { total_records } = await call('provenance', { ref: token.provenance_ref })
console.log(`errand-bot has done ${total_records} thing`)
const { revoked } = await call('revoke', { vat_jti: token.jti })
console.log(`revoked: ${revoked}`)
await client.close()

async function call(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [part] = content
  if (isError === true || part?.type !== 'text') throw new Error(`${name} failed: ${JSON.stringify(content)}`)
  return JSON.parse(part.text)
}
