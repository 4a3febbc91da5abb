/**
 * An MCP server that ignores case and width in names, as some servers do: near spellings are meant for these. Uses
 * standard streams, or HTTP if its argument is a port. Appends what it executes to the file `EXECUTED`.
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const folded = (name: unknown) =>
  String(name)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z/]/g, '')

function answerTo(text: string): string | undefined {
  const { id, method, params = {} } = JSON.parse(text)
  const said = folded(method)
  if (said.replace('/', '') === 'toolscall') return execute(id, params)
  if (id === undefined) return undefined
  const result =
    said === 'initialize'
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'lenient', version: '1' },
        }
      : said === 'tools/list'
        ? {
            tools: ['read_file', 'write_file', 'format_disk'].map((name) => ({
              name,
              inputSchema: { type: 'object' },
            })),
          }
        : {}
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

function execute(id: unknown, { name }: { name?: unknown }): string {
  appendFileSync(process.env.EXECUTED ?? '', `${folded(name)}\n`)
  return JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: folded(name) }] } })
}

const [, , port] = process.argv
if (port === undefined)
  createInterface(process.stdin).on('line', (line) => {
    const answer = answerTo(line)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
  })
else
  createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const answer = answerTo(Buffer.concat(await request.toArray()).toString('utf8'))
    if (answer === undefined) response.writeHead(202).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }).listen(Number(port), '127.0.0.1', () => process.stderr.write('listening\n'))
