import type { Command } from 'commander'
import { DEFAULT_URL } from '../client/connection-options.ts'
import { addHelpParagraph } from '../help-layout.ts'
import type { McpGuardOptions } from './guard-settings.ts'

/** `deputy mcp-guard`: sits between an agent and an MCP server. */
export function addMcpGuardCommand(program: Command): void {
  const guard = program
    .command('mcp-guard')
    .summary('authorize and record each tool call of an MCP server')
    .description('guard an MCP server: authorize each tool call and record its result')
    .argument('[command...]', 'the command that starts the server, after --')
    .option('--url <url>', `the service (DEPUTY_URL; default: ${DEFAULT_URL})`)
    .option('--token <token>', 'token of the agent if it is bound to a key, or its ID in open mode')
    .option('--token-file <file>', 'file with the token of the agent, or its ID in open mode (DEPUTY_TOKEN)')
    .option(
      '--agent-key-file <file>',
      'file with the key (JWK) that the token is bound to (DEPUTY_AGENT_KEY)',
    )
    .option('--server <name>', 'name of the server; calls use the resource mcp:<name>')
    .option('--config <file>', 'JSON file that maps tools to actions and resources')
    .option('--hide-denied', 'remove tools that the token does not allow from tools/list')
    .option('--listen <address>', 'serve streamable HTTP on this address, such as 127.0.0.1:8430')
    .option('--upstream <url>', 'URL of the server to guard, with --listen')
    .option('--upstream-ca <file>', 'PEM file with certificates to trust for --upstream')
    .action(async (command: string[], options: McpGuardOptions) => {
      const { runGuard } = await import('./run-guard.ts')
      await runGuard(options, command)
    })
  addHelpParagraph(
    guard,
    'Exits with the exit code of the server, with 2 for invalid options, or with 78 if the guard cannot start otherwise.',
  )
}

/** `deputy mcp`: offers the operations of the service as tools. */
export function addMcpCommand(program: Command): void {
  const mcp = program
    .command('mcp')
    .summary('run an MCP server that offers the operations of the service')
    .description('run an MCP server whose tools are the operations of the service, on stdio')
    .option('--url <url>', `the service (DEPUTY_URL; default: ${DEFAULT_URL})`)
    .action(async (options: { url?: string }) => {
      const { runMcpServer } = await import('./run-mcp-server.ts')
      await runMcpServer(options)
    })
  addHelpParagraph(
    mcp,
    'Calls the service with DEPUTY_API_KEY, or with DEPUTY_TOKEN and DEPUTY_AGENT_KEY. Open mode needs neither.',
  )
}
