import { type Deputy, deputy } from '@deputize/sdk'
import { type ConnectionOptions, DEFAULT_URL } from './connection-options.ts'
import { type CallCredentials, credentialsFor, type ServiceAddress } from './credentials.ts'
import { UsageError } from './exit.ts'
import { type Profile, readProfile } from './profile.ts'

/** A connection to the service, with the credentials found for it. */
export interface Connected {
  readonly client: Deputy
  /** The ID of the token in use, if there is one. */
  readonly jti: string | undefined
  readonly credential: 'key' | 'token' | 'none'
}

/** They take less than a second in total, because a person waits at the terminal. */
const RETRIES = 3

export async function connect(options: ConnectionOptions): Promise<Connected> {
  const profile = readProfile(options.profile, process.env)
  const address = serviceAddress(options, profile)
  const { jti, ...credentials } = await credentialsFor(address, options, process.env, profile)
  try {
    const client = deputy({ url: address.url, retries: RETRIES, ...credentials })
    return { client, jti, credential: kindOf(credentials) }
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(
        `${address.url} uses http. Use https, or run the command on the machine of the service with ${DEFAULT_URL}.`,
      )
    throw error
  }
}

function kindOf({ key, token }: Pick<CallCredentials, 'key' | 'token'>): Connected['credential'] {
  if (key !== undefined) return 'key'
  return token === undefined ? 'none' : 'token'
}

/** --url and --profile override environment variables, which override the user's profile. */
function serviceAddress({ url, profile: named }: ConnectionOptions, profile: Profile): ServiceAddress {
  const typed = url ?? (named === undefined ? undefined : profile.url)
  const chosen = httpAddress(typed ?? (process.env.DEPUTY_URL || profile.url || DEFAULT_URL))
  return { url: chosen, isSame: (other) => httpAddress(other ?? DEFAULT_URL) === chosen }
}

function httpAddress(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`"${text}" isn't a URL. URLs start with http:// or https://.`)
  return new URL(text).href
}
