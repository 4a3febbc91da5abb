import { readFileSync } from 'node:fs'
import { type CallOptions, type Deputy, DeputyError, deputy } from '@deputize/sdk'
import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { DEFAULT_URL } from '../client/connection.ts'
import { readAgentKey } from './guard-settings.ts'
import { type McpTool, mcpTools } from './mcp-tools.ts'

const EXIT_CONFIG = 78
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Serves the operations as tools, on standard input and output, with the credentials of the environment. */
export async function runMcpServer({ url }: { readonly url?: string }): Promise<void> {
  const service = await connected(url, process.env).catch((error: unknown) => {
    process.stderr.write(`The MCP server cannot start: ${error instanceof Error ? error.message : error}\n`)
    process.exit(EXIT_CONFIG)
  })
  serveStdio(() => mcpServer(service), {
    onerror: (error) => process.stderr.write(`deputy mcp: ${error.message}\n`),
  })
}

async function connected(url: string | undefined, env: NodeJS.ProcessEnv): Promise<Deputy> {
  return deputy({
    url: url ?? env.DEPUTY_URL ?? DEFAULT_URL,
    key: env.DEPUTY_API_KEY,
    token: env.DEPUTY_TOKEN,
    agent_key: await readAgentKey(env.DEPUTY_AGENT_KEY),
  })
}

function mcpServer(service: Deputy): Server {
  const tools = mcpTools()
  const server = new Server({ name: 'deputy', version }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ operation: _, ...tool }) => tool),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined) return failure(`There is no tool ${params.name}.`)
    return called(service, tool, params.arguments ?? {}, mcpReq.signal)
  })
  return server
}

type AnyCall = (input: Record<string, unknown>, options: CallOptions) => Promise<object>

async function called(
  service: Deputy,
  { operation }: McpTool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const call = service[operation] as unknown as AnyCall // the service checks the input, and names what does not fit
  try {
    const answer = await call(input, { signal })
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: { ...answer } }
  } catch (error) {
    if (error instanceof DeputyError) return refusal(error)
    if (error instanceof TypeError) return failure(error.message) // part of the path is missing
    throw error
  }
}

function refusal({ code, message, problem }: DeputyError): CallToolResult {
  const told = { code, detail: message, ...problem }
  return { ...failure(JSON.stringify(told)), structuredContent: told }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
