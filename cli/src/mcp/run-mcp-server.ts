import { readFileSync } from 'node:fs'
import { type CallOptions, type Deputy, DeputyError, deputy } from '@deputize/sdk'
import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { DEFAULT_URL } from '../client/connection-options.ts'
import type { Environment } from '../environment.ts'
import { EXIT } from '../exit-codes.ts'
import { errorText, exitWithProblems } from '../start-problems.ts'
import { agentKeyOf, secretIn } from './guard-settings.ts'
import { type McpTool, mcpTools } from './mcp-tools.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** Serves the operations as tools on stdio, with the credentials of the environment. */
export async function runMcpServer({ url }: { readonly url?: string }): Promise<void> {
  const service = await serviceClient(url, process.env).catch((error: unknown) =>
    exitWithProblems('The MCP server', [errorText(error)], EXIT.config),
  )
  serveStdio(() => mcpServer(service), {
    onerror: (error) => process.stderr.write(`deputy mcp: ${error.message}\n`),
  })
}

async function serviceClient(url: string | undefined, env: Environment): Promise<Deputy> {
  return deputy({
    url: url ?? env.DEPUTY_URL ?? DEFAULT_URL,
    key: env.DEPUTY_API_KEY,
    token: env.DEPUTY_TOKEN,
    agent_key: await agentKeyOf(secretIn(undefined, env, 'DEPUTY_AGENT_KEY')),
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
    if (tool === undefined) return failure(`Unknown tool ${params.name}.`)
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
  const call = service[operation] as unknown as AnyCall // the service validates the input
  try {
    const response = await call(input, { signal })
    return { content: [{ type: 'text', text: JSON.stringify(response) }], structuredContent: { ...response } }
  } catch (error) {
    if (error instanceof DeputyError) return errorResult(error)
    if (error instanceof TypeError) return failure(error.message) // a path parameter is missing
    throw error
  }
}

function errorResult({ code, message, problem }: DeputyError): CallToolResult {
  const facts = { code, detail: message, ...problem }
  return { ...failure(JSON.stringify(facts)), structuredContent: facts }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
