import { decodeCompact } from '@deputy/protocol'
import { type AgentKey, type Deputy, deputy, importAgentKey, type PrivateJwk } from '@deputy/sdk'
import { type Command, Option } from 'commander'
import { UsageError } from './exit.ts'
import { jsonIn, type Profile, readProfile, textIn } from './profile.ts'

const DEFAULT_URL = 'http://127.0.0.1:8420'

/** The options of every command that calls the service, as they were typed. */
export interface ConnectionOptions {
  readonly url?: string
  readonly profile?: string
  readonly apiKeyFile?: string
  readonly tokenFile?: string
  readonly agentKeyFile?: string
  readonly json?: boolean
}

/** Secrets come from files, because everybody on a machine sees the options of a command. */
export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <address>', `where the service is (DEPUTY_URL, the profile, or ${DEFAULT_URL})`),
    )
    .addOption(
      new Option(
        '--profile <file>',
        'JSON with url and the files below ($XDG_CONFIG_HOME/deputy/profile.json)',
      ),
    )
    .addOption(new Option('--api-key-file <file>', 'holds an API key, to call as a program'))
    .addOption(
      new Option('--token-file <file>', 'holds a token, to call as its agent').conflicts('apiKeyFile'),
    )
    .addOption(new Option('--agent-key-file <file>', 'holds the key that the token is bound to'))
    .addOption(new Option('--json', 'print the answer of the service as it is'))
}

export interface Contact {
  readonly client: Deputy
  /** The id of the token that is shown, if one is. */
  readonly jti: string | undefined
  /** What the service is shown. */
  readonly shows: 'key' | 'token' | 'nothing'
}

export async function contactWith(options: ConnectionOptions): Promise<Contact> {
  const profile = readProfile(options.profile, process.env)
  const url = addressIn(addressOf(options, profile, process.env.DEPUTY_URL))
  const files = filesOf(options, url, profile)
  const token = files.token_file === undefined ? undefined : readToken(files.token_file)
  const key = files.api_key_file === undefined ? undefined : readApiKey(files.api_key_file)
  const agent_key = files.agent_key_file === undefined ? undefined : await readAgentKey(files.agent_key_file)
  if (agent_key !== undefined && token === undefined)
    throw new UsageError('--agent-key-file proves a token: give its --token-file too.')
  const shows = key !== undefined ? 'key' : token !== undefined ? 'token' : 'nothing'
  try {
    return { client: deputy({ url, key, token: token?.compact_jwt, agent_key }), jti: token?.jti, shows }
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${url}: give credentials to https addresses only.`)
    throw error
  }
}

/** What is typed, a profile that is typed, the environment, the profile of the user: in this order. */
function addressOf({ url, profile: named }: ConnectionOptions, profile: Profile, inherited?: string): string {
  const typed = url ?? (named === undefined ? undefined : profile.url)
  return typed ?? (inherited || undefined) ?? profile.url ?? DEFAULT_URL
}

/** What is typed wins over the profile. What a profile shows to one service is never shown to another. */
function filesOf(options: ConnectionOptions, url: string, profile: Profile): Profile {
  const { apiKeyFile, tokenFile, agentKeyFile } = options
  const isTyped = apiKeyFile !== undefined || tokenFile !== undefined
  const isForAnother = addressIn(profile.url ?? DEFAULT_URL) !== url
  const { api_key_file, token_file, agent_key_file } = isTyped || isForAnother ? {} : profile
  if (api_key_file !== undefined && token_file !== undefined)
    throw new UsageError('The profile names an API key and a token. Name one of them.')
  return {
    ...spelled('api_key_file', apiKeyFile ?? api_key_file),
    ...spelled('token_file', tokenFile ?? token_file),
    ...spelled('agent_key_file', agentKeyFile ?? agent_key_file),
  }
}

function spelled(member: keyof Profile, file: string | undefined): Profile {
  return file === undefined ? {} : { [member]: file }
}

function addressIn(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${text} is not an address. It begins with http:// or https://.`)
  return new URL(text).href
}

function readApiKey(file: string): string {
  const key = textIn(file)
  if (!/^dk_\S+$/.test(key)) throw new UsageError(`${file} holds no API key: one begins with dk_.`)
  return key
}

function readToken(file: string): { readonly compact_jwt: string; readonly jti: string } {
  const compact_jwt = textIn(file)
  try {
    const { jti } = decodeCompact(compact_jwt).payload
    if (typeof jti === 'string') return { compact_jwt, jti }
  } catch {
    // said below, for every way in which it is no token
  }
  throw new UsageError(`${file} holds no token: one is a compact JWT, as the issue call answers it.`)
}

export async function readAgentKey(file: string): Promise<AgentKey> {
  try {
    return await importAgentKey(jsonIn(file) as PrivateJwk) // importing refuses whatever it is not
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file} holds no key of an agent: a private JWK, Ed25519 or P-256.`)
  }
}
