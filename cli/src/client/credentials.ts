import { decodeCompact } from '@deputize/protocol'
import type { AgentKey } from '@deputize/sdk'
import type { Environment } from '../environment.ts'
import type { ConnectionOptions } from './connection-options.ts'
import { UsageError } from './exit.ts'
import type { Profile } from './profile.ts'
import { checkedAgentKey, checkedApiKey, type FoundSecret } from './secrets.ts'
import { readTextFile } from './text-file.ts'

interface FoundCredentials {
  readonly api_key?: FoundSecret | undefined
  readonly token?: FoundSecret | undefined
  readonly agent_key?: FoundSecret | undefined
}

/** The credentials of a call. */
export interface CallCredentials {
  readonly key: string | undefined
  readonly token: string | undefined
  /** The ID of the token. In open mode, the ID alone is enough. */
  readonly jti: string | undefined
  readonly agent_key: AgentKey | undefined
}

/** The service to call. A profile or an environment that names a URL sends its credentials to that URL only. */
export interface ServiceAddress {
  readonly url: string
  isSame(other: string | undefined): boolean
}

/** Flags override a profile named by --profile, then environment variables, then the user's profile. */
export async function credentialsFor(
  address: ServiceAddress,
  options: ConnectionOptions,
  env: Environment,
  profile: Profile,
): Promise<CallCredentials> {
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
    throw new UsageError('--agent-key-file needs --token-file: the key belongs to a token.')
  return {
    key: api_key && checkedApiKey(api_key),
    ...(token === undefined ? { token: undefined, jti: undefined } : checkedToken(token)),
    agent_key: agent_key && (await checkedAgentKey(agent_key)),
  }
}

function inFiles({ api_key_file, token_file, agent_key_file }: Omit<Profile, 'url'>): FoundCredentials {
  const found = (file: string | undefined) => file && { place: file, text: readTextFile(file) }
  return definedOnly({
    api_key: found(api_key_file),
    token: found(token_file),
    agent_key: found(agent_key_file),
  })
}

/** Undefined if the environment has no credentials for this service. Without `DEPUTY_URL`, they are for any service. */
function inEnvironment(address: ServiceAddress, env: Environment): FoundCredentials | undefined {
  const found = (name: string) => (env[name] ? { place: name, text: env[name].trim() } : undefined)
  const api_key = found('DEPUTY_API_KEY')
  const token = found('DEPUTY_TOKEN')
  const isForAnother = Boolean(env.DEPUTY_URL) && !address.isSame(env.DEPUTY_URL)
  if (isForAnother || (api_key === undefined && token === undefined)) return undefined
  if (api_key !== undefined && token !== undefined)
    throw new UsageError('DEPUTY_API_KEY and DEPUTY_TOKEN are both set. Unset one of them.')
  return definedOnly({ api_key, token, agent_key: token && found('DEPUTY_AGENT_KEY') })
}

function inProfile(address: ServiceAddress, { url, ...files }: Profile): FoundCredentials {
  if (!address.isSame(url)) return {}
  if (files.api_key_file !== undefined && files.token_file !== undefined)
    throw new UsageError('The profile has both api_key_file and token_file. Remove one of them.')
  return inFiles(files)
}

/** Drops missing members, which would override those of the source that they are merged with. */
function definedOnly(
  found: Readonly<Record<keyof FoundCredentials, FoundSecret | '' | undefined>>,
): FoundCredentials {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value))
}

function checkedToken({ place, text }: FoundSecret): Pick<CallCredentials, 'token' | 'jti'> {
  if (/^vat_\w+$/.test(text)) return { token: undefined, jti: text }
  try {
    const { jti } = decodeCompact(text).payload
    if (typeof jti === 'string') return { token: text, jti }
  } catch {
    // reported below, like every other invalid token
  }
  throw new UsageError(
    `${place} doesn't contain a token. A token is a compact JWT, as the issue call returns it.`,
  )
}
