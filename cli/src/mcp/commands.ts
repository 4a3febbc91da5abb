import type { Command } from 'commander'
import type { GuardOptions } from './guard-settings.ts'

export function addMcpCommands(program: Command): void {
  program
    .command('mcp-guard')
    .description('stand between an MCP client and an MCP server: ask before each tool call, record after it')
    .argument('[command...]', 'the server and its arguments, after --')
    .option('--url <address>', 'address of the service (DEPUTY_URL, http://127.0.0.1:8420)')
    .option('--token <token>', 'the token of the agent if it is bound to a key, or in open mode its id')
    .option('--token-file <file>', 'file with the token of the agent, or in open mode its id (DEPUTY_TOKEN)')
    .option(
      '--agent-key-file <file>',
      'file with the key that the token is bound to, a JWK (DEPUTY_AGENT_KEY)',
    )
    .option('--server <name>', 'what the server is called: calls are on mcp:<name>')
    .option('--config <file>', 'how tools are mapped to actions and resources')
    .option('--hide-denied', 'leave tools that the token does not allow out of tools/list')
    .option('--listen <address>', 'speak streamable HTTP here, such as 127.0.0.1:8430')
    .option('--upstream <address>', 'the server to reach over HTTP')
    .option('--upstream-ca <file>', 'certificates (PEM) to believe when the server is reached over https')
    .addHelpText('after', '\nExits as the server does; with 78 when it cannot start.')
    .action(async (command: string[], options: GuardOptions) => {
      const { runGuard } = await import('./run-guard.ts')
      await runGuard(options, command)
    })

  program
    .command('mcp')
    .description('an MCP server with the operations of the service as tools, on standard input and output')
    .option('--url <address>', 'address of the service (DEPUTY_URL, http://127.0.0.1:8420)')
    .addHelpText(
      'after',
      '\nCalls with DEPUTY_API_KEY, or with DEPUTY_TOKEN and DEPUTY_AGENT_KEY; in open mode with nothing.',
    )
    .action(async (options: { url?: string }) => {
      const { runMcpServer } = await import('./run-mcp-server.ts')
      await runMcpServer(options)
    })
}
