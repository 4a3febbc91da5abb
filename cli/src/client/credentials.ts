import { decodeCompact } from '@deputize/protocol'
import { type AgentKey, importAgentKey, type PrivateJwk } from '@deputize/sdk'
import type { ConnectionOptions } from './connection.ts'
import { UsageError } from './exit.ts'
import { type Environment, type Profile, textIn } from './profile.ts'

/** A secret, and where it was found. */
interface Found {
  readonly place: string
  readonly text: string
}

interface FoundCredentials {
  readonly api_key?: Found | undefined
  readonly token?: Found | undefined
  readonly agent_key?: Found | undefined
}

/** What the service is shown. */
export interface Credentials {
  readonly key: string | undefined
  readonly token: string | undefined
  /** The id of the token. In open mode it is all there needs to be of it. */
  readonly jti: string | undefined
  readonly agent_key: AgentKey | undefined
}

/** Where a profile or an environment sends its credentials, and nowhere else. */
export interface Address {
  readonly url: string
  isSame(other: string | undefined): boolean
}

/** What is typed, a profile that is typed, the environment, the profile of the user: in this order. */
export async function credentialsFor(
  address: Address,
  options: ConnectionOptions,
  env: Environment,
  profile: Profile,
): Promise<Credentials> {
  const typed = inFiles({
    api_key_file: options.apiKeyFile,
    token_file: options.tokenFile,
    agent_key_file: options.agentKeyFile,
  })
  const isTyped = typed.api_key !== undefined || typed.token !== undefined
  const inherited = options.profile === undefined ? inEnvironment(address, env) : undefined
  const kept = isTyped ? {} : (inherited ?? inProfile(address, profile))
  const { api_key, token, agent_key } = { ...kept, ...typed }
  if (agent_key !== undefined && token === undefined)
    throw new UsageError('--agent-key-file proves a token: give its --token-file too.')
  return {
    key: api_key && readApiKey(api_key),
    ...(token === undefined ? { token: undefined, jti: undefined } : readToken(token)),
    agent_key: agent_key && (await readAgentKey(agent_key)),
  }
}

function inFiles({ api_key_file, token_file, agent_key_file }: Omit<Profile, 'url'>): FoundCredentials {
  const found = (file: string | undefined) => file && { place: file, text: textIn(file) }
  return present({
    api_key: found(api_key_file),
    token: found(token_file),
    agent_key: found(agent_key_file),
  })
}

/** Undefined when there is nothing for this service. Without `DEPUTY_URL` it is for whichever was typed. */
function inEnvironment(address: Address, env: Environment): FoundCredentials | undefined {
  const found = (name: string) => (env[name] ? { place: name, text: env[name].trim() } : undefined)
  const api_key = found('DEPUTY_API_KEY')
  const token = found('DEPUTY_TOKEN')
  const isForAnother = Boolean(env.DEPUTY_URL) && !address.isSame(env.DEPUTY_URL)
  if (isForAnother || (api_key === undefined && token === undefined)) return undefined
  if (api_key !== undefined && token !== undefined)
    throw new UsageError('The environment has DEPUTY_API_KEY and DEPUTY_TOKEN. Unset one of them.')
  return present({ api_key, token, agent_key: token && found('DEPUTY_AGENT_KEY') })
}

function inProfile(address: Address, { url, ...files }: Profile): FoundCredentials {
  if (!address.isSame(url)) return {}
  if (files.api_key_file !== undefined && files.token_file !== undefined)
    throw new UsageError('The profile names an API key and a token. Name one of them.')
  return inFiles(files)
}

/** Without members that are undefined, which would hide those of others. */
function present(found: Readonly<Record<keyof FoundCredentials, Found | '' | undefined>>): FoundCredentials {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value))
}

function readApiKey({ place, text }: Found): string {
  if (!/^dk_\S+$/.test(text)) throw new UsageError(`${place} holds no API key: one begins with dk_.`)
  return text
}

function readToken({ place, text }: Found): Pick<Credentials, 'token' | 'jti'> {
  if (/^vat_\w+$/.test(text)) return { token: undefined, jti: text }
  try {
    const { jti } = decodeCompact(text).payload
    if (typeof jti === 'string') return { token: text, jti }
  } catch {
    // said below, for every way in which it is no token
  }
  throw new UsageError(`${place} holds no token: one is a compact JWT, as the issue call answers it.`)
}

/** The key that a token is bound to. */
export async function readAgentKey({ place, text }: Found): Promise<AgentKey> {
  try {
    return await importAgentKey(JSON.parse(text) as PrivateJwk) // importing refuses whatever it is not
  } catch {
    throw new UsageError(`${place} holds no key of an agent: a private JWK, Ed25519 or P-256.`)
  }
}
