import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type ActionRecord, type Deputy, deputy, type IssueL1Input } from '@deputize/sdk'
import { type CallToolResult, Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { aProgram, type Program } from './program.ts'
import { CLI } from './programs.ts'
import { type TestScope, temporaryDirectory } from './scope.ts'

/** The script that starts a published server. */
export function serverFile(name: 'server-filesystem' | 'server-everything'): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)
  return join(dirname(manifest), 'dist/index.js')
}

export interface GuardedService {
  readonly program: Program
  readonly service: Deputy
  /** A token, by default for every call of the servers `files` and `everything`. */
  token(
    changes?: Partial<IssueL1Input>,
  ): Promise<{ jti: string; compact_jwt: string; provenance_ref: string }>
  /** The action records of a workflow, oldest first. */
  recordsOf(provenance_ref: string): Promise<ActionRecord[]>
}

/** The service as its own process, in open mode. */
export async function aService(scope: TestScope): Promise<GuardedService> {
  const program = await aProgram(scope, temporaryDirectory(scope))
  const service = deputy({ url: program.url })
  return {
    program,
    service,
    token: (changes = {}) =>
      service.issueL1({
        developer_email: 'dev@example.com',
        agent_id: 'mcp-bot',
        resources: ['mcp:files', 'mcp:everything'],
        actions: ['call'],
        ...changes,
      }),
    async recordsOf(provenance_ref) {
      const records: ActionRecord[] = []
      for await (const record of service.listRecords.all({ provenance_ref })) records.push(record)
      return records.reverse()
    },
  }
}

export interface GuardedOptions {
  readonly url: string
  readonly token: string
  /** Options of the guard, other than the service's address. */
  readonly options?: readonly string[]
  /** The server and its arguments. */
  readonly command: readonly string[]
  readonly env?: Record<string, string>
  readonly client?: ClientOptions
}

export interface GuardedClient {
  readonly client: Client
  readonly transport: StdioClientTransport
  /** The standard error of the guard and the server. */
  words(): string
}

/** The official client, talking to a server through the guard. */
export async function aGuardedClient(
  scope: TestScope,
  { url, token, options = [], command, env = {}, client: clientOptions = {} }: GuardedOptions,
): Promise<GuardedClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp-guard', '--url', url, ...options, '--', ...command],
    env: { PATH: process.env.PATH ?? '', DEPUTY_TOKEN: token, ...env },
    stderr: 'pipe',
  })
  let words = ''
  transport.stderr?.on('data', (chunk) => {
    words += chunk
  })
  const client = new Client({ name: 'a-test', version: '1.0.0' }, clientOptions)
  scope.after(() => client.close())
  try {
    await client.connect(transport)
  } catch (error) {
    throw new Error(`no connection: ${words}`, { cause: error })
  }
  return { client, transport, words: () => words }
}

/** The published server `everything`, behind the guard. */
export function everything(scope: TestScope, given: Omit<GuardedOptions, 'command'>): Promise<GuardedClient> {
  const { options = ['--server', 'everything'] } = given
  const command = [process.execPath, serverFile('server-everything'), 'stdio']
  return aGuardedClient(scope, { ...given, options, command })
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** The facts of a denied result, for programs. */
export function denialIn({ _meta }: CallToolResult): Record<string, unknown> {
  return { ...(_meta?.['deputy/denial'] as object) }
}
