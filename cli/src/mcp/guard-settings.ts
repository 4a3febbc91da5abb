import { readFileSync } from 'node:fs'
import { decodeCompact } from '@deputize/protocol'
import { type AgentKey, type Authority, deputy, importAgentKey, type PrivateJwk } from '@deputize/sdk'
import { DEFAULT_URL } from '../client/connection.ts'
import { RulesError, readToolRules, type ToolRules } from './tool-rules.ts'
import { type Upstream, upstreamAt } from './upstream.ts'

/** The command line of the guard. */
export interface GuardOptions {
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
  readonly rules: ToolRules
  readonly hide_denied: boolean
  /** Where to speak HTTP; otherwise a server is started and spoken to on its standard streams. */
  readonly listening: Listening | undefined
}

/** The guard cannot start like this. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join(' '))
    this.name = 'SettingsError'
    this.problems = problems
  }
}

const TIMEOUT_MS = 5_000
const RETRIES = 2
const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

export async function readGuardSettings(
  options: GuardOptions,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<GuardSettings> {
  const token = tokenOf(options, env)
  const url = options.url ?? env.DEPUTY_URL ?? DEFAULT_URL
  const agent_key = await readAgentKey(secretOf(options.agentKeyFile, env.DEPUTY_AGENT_KEY))
  return {
    authority: authorityFor(url, token, agent_key),
    rules: rulesOf(options),
    hide_denied: options.hideDenied ?? false,
    listening: listeningOf(options, command),
  }
}

function tokenOf({ token, tokenFile }: GuardOptions, env: NodeJS.ProcessEnv): string {
  if (token !== undefined && tokenFile !== undefined)
    throw new SettingsError(['--token and --token-file are two ways to say the same. Leave one out.'])
  const found = token ?? secretOf(tokenFile, env.DEPUTY_TOKEN)
  if (found === undefined)
    throw new SettingsError(['No token: put it into a file (--token-file) or into DEPUTY_TOKEN.'])
  if (token !== undefined && isSecret(token))
    throw new SettingsError([
      'This token is bound to no key, so whoever reads it can act with it, and arguments can be read by every program. Put it into a file (--token-file) or into DEPUTY_TOKEN.',
    ])
  return found
}

/** An id opens nothing where anybody is asked who they are, and a bound token nothing without its key. */
function isSecret(token: string): boolean {
  return token.includes('.') && decodedClaims(token).cnf === undefined
}

function decodedClaims(token: string): Readonly<Record<string, unknown>> {
  try {
    return decodeCompact(token).payload
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)])
  }
}

function authorityFor(url: string, token: string, agent_key: AgentKey | undefined): Authority {
  try {
    // With a credential from the start, so that it is refused here to send it over an open line.
    const is_compact = token.includes('.')
    return deputy({
      url,
      timeout_ms: TIMEOUT_MS,
      retries: RETRIES,
      ...(is_compact && { token, agent_key }),
    }).withAuthority(token, { agent_key })
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)])
  }
}

/** The key that a token is bound to, as a private JWK. */
export async function readAgentKey(text: string | undefined): Promise<AgentKey | undefined> {
  if (text === undefined) return undefined
  try {
    return await importAgentKey(JSON.parse(text) as PrivateJwk) // whatever it is, it is checked there
  } catch {
    throw new SettingsError(['The key of the agent has to be a private JWK, Ed25519 or P-256.'])
  }
}

function secretOf(file: string | undefined, variable: string | undefined): string | undefined {
  const text = (file === undefined ? variable : textOf(file))?.trim()
  return text === '' ? undefined : text
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingsError([error instanceof Error ? error.message : String(error)])
  }
}

function rulesOf({ config, server }: GuardOptions): ToolRules {
  try {
    return readToolRules(config === undefined ? {} : JSON.parse(textOf(config)), server)
  } catch (error) {
    if (error instanceof RulesError) throw new SettingsError(error.problems)
    if (error instanceof SyntaxError) throw new SettingsError([`${config} is no JSON: ${error.message}`])
    throw error
  }
}

function listeningOf(
  { listen, upstream, upstreamCa }: GuardOptions,
  command: readonly string[],
): Listening | undefined {
  if (listen === undefined && upstream === undefined && upstreamCa === undefined) {
    if (command.length > 0) return undefined
    throw new SettingsError([
      'Name the server to start after --, or one to reach with --listen and --upstream.',
    ])
  }
  if (listen === undefined || upstream === undefined || command.length > 0)
    throw new SettingsError([
      '--listen and --upstream belong together, and to no command; --upstream-ca belongs to them.',
    ])
  const [, host = '', port = ''] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(listen) ?? []
  const problems = [
    ...(LOOPBACK.includes(host) && Number(port) < 65_536
      ? []
      : [
          '--listen takes an address of this machine alone, such as 127.0.0.1:8430: whoever reaches it acts with the token.',
        ]),
    ...(isHttp(upstream) ? [] : ['--upstream has to be an http or https address.']),
  ]
  if (problems.length > 0) throw new SettingsError(problems)
  return { host, port: Number(port), upstream: upstreamAt(new URL(upstream), certificatesIn(upstreamCa)) }
}

function certificatesIn(file: string | undefined): string | undefined {
  const text = file === undefined ? undefined : textOf(file)
  if (text === undefined || text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new SettingsError([`${file} holds no certificate. One is written in PEM.`])
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** The environment without what Deputy reads from it. */
export function foreignEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('DEPUTY_')))
}
