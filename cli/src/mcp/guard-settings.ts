import { decodeCompact } from '@deputize/protocol'
import { type AgentKey, type Authority, deputy } from '@deputize/sdk'
import { DEFAULT_URL } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { checkedAgentKey, type FoundSecret } from '../client/secrets.ts'
import { readTextFile } from '../client/text-file.ts'
import type { Environment } from '../environment.ts'
import { errorText, StartError } from '../start-problems.ts'
import { MappingError, readToolMapping, type ToolMapping } from './tool-mapping.ts'
import { type Upstream, upstreamAt } from './upstream.ts'

/** The options as typed. */
export interface McpGuardOptions {
  readonly url?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly agentKeyFile?: string
  readonly server?: string
  readonly config?: string
  readonly hideDenied?: boolean
  readonly listen?: string
  readonly upstream?: string
  readonly upstreamCa?: string
}

export interface Listening {
  readonly host: string
  readonly port: number
  readonly upstream: Upstream
}

export interface GuardSettings {
  readonly authority: Authority
  readonly mapping: ToolMapping
  readonly hide_denied: boolean
  /** Where to serve HTTP. Undefined if the guard starts the server and uses its standard streams. */
  readonly listening: Listening | undefined
}

const GUARD_TIMEOUT_MS = 5_000
const GUARD_RETRIES = 2
const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost']

export async function readGuardSettings(
  options: McpGuardOptions,
  command: readonly string[],
  env: Environment,
): Promise<GuardSettings> {
  const token = agentToken(options, env)
  const url = options.url ?? env.DEPUTY_URL ?? DEFAULT_URL
  const agent_key = await agentKeyOf(secretIn(options.agentKeyFile, env, 'DEPUTY_AGENT_KEY'))
  return {
    authority: authorityFor(url, token, agent_key),
    mapping: mappingOf(options),
    hide_denied: options.hideDenied ?? false,
    listening: listenSettings(options, command),
  }
}

function agentToken({ token, tokenFile }: McpGuardOptions, env: Environment): string {
  if (token !== undefined && tokenFile !== undefined)
    throw new UsageError('--token and --token-file are both given. Use one of them.')
  const found = token ?? secretIn(tokenFile, env, 'DEPUTY_TOKEN')?.text
  if (found === undefined)
    throw new UsageError('No token given. Pass a file with --token-file, or set DEPUTY_TOKEN.')
  if (token !== undefined && isSecret(token))
    throw new UsageError(
      'This token is not bound to a key, and other programs can read command line arguments. Pass it in a file (--token-file) or in DEPUTY_TOKEN.',
    )
  return found
}

/** Whether the token alone gives access. An ID does not in keyed mode, and a bound token needs its key. */
function isSecret(token: string): boolean {
  return token.includes('.') && decodedClaims(token).cnf === undefined
}

function decodedClaims(token: string): Readonly<Record<string, unknown>> {
  try {
    return decodeCompact(token).payload
  } catch (error) {
    throw new UsageError(errorText(error))
  }
}

function authorityFor(url: string, token: string, agent_key: AgentKey | undefined): Authority {
  try {
    // The credential is passed here too, so that the client rejects a URL without https.
    const is_compact = token.includes('.')
    return deputy({
      url,
      timeout_ms: GUARD_TIMEOUT_MS,
      retries: GUARD_RETRIES,
      ...(is_compact && { token, agent_key }),
    }).withAuthority(token, { agent_key })
  } catch (error) {
    throw new UsageError(errorText(error))
  }
}

/** The key that a token is bound to. */
export async function agentKeyOf(secret: FoundSecret | undefined): Promise<AgentKey | undefined> {
  return secret === undefined ? undefined : checkedAgentKey(secret)
}

/** A secret from a file, or from an environment variable if no file is given. Undefined if it is empty. */
export function secretIn(
  file: string | undefined,
  env: Environment,
  variable: string,
): FoundSecret | undefined {
  const text = file === undefined ? env[variable]?.trim() : readTextFile(file)
  return text === undefined || text === '' ? undefined : { place: file ?? variable, text }
}

function mappingOf({ config, server }: McpGuardOptions): ToolMapping {
  if (config === undefined && server === undefined)
    throw new UsageError('The server has no name. Pass --server, or a mapping that names it with --config.')
  try {
    return readToolMapping(config === undefined ? {} : JSON.parse(readTextFile(config)), server)
  } catch (error) {
    if (error instanceof MappingError) throw new StartError(error.problems)
    if (error instanceof SyntaxError)
      throw new StartError([`${config} doesn't contain valid JSON: ${error.message}`])
    throw error
  }
}

function listenSettings(
  { listen, upstream, upstreamCa }: McpGuardOptions,
  command: readonly string[],
): Listening | undefined {
  if (listen === undefined && upstream === undefined && upstreamCa === undefined) {
    if (command.length > 0) return undefined
    throw new UsageError('No server given. Pass its command after --, or use --listen and --upstream.')
  }
  if (listen === undefined || upstream === undefined || command.length > 0)
    throw new UsageError(
      '--listen and --upstream must be used together, without a command. --upstream-ca needs both.',
    )
  const [, host = '', port = ''] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(listen) ?? []
  const problems = [
    ...(LOOPBACK_HOSTS.includes(host) && Number(port) < 65_536
      ? []
      : [
          '--listen must be a loopback address, such as 127.0.0.1:8430, because every client that connects acts with the token.',
        ]),
    ...(isHttp(upstream) ? [] : ['--upstream must be an http or https URL.']),
  ]
  if (problems.length > 0) throw new UsageError(problems.join(' '))
  return { host, port: Number(port), upstream: upstreamAt(new URL(upstream), certificatesIn(upstreamCa)) }
}

function certificatesIn(file: string | undefined): string | undefined {
  const text = file === undefined ? undefined : readTextFile(file)
  if (text === undefined || text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new StartError([`${file} doesn't contain a certificate in PEM format.`])
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** The environment without the variables of Deputy. */
export function environmentForServer(env: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('DEPUTY_')))
}
