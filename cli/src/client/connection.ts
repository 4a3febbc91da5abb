import { type Deputy, deputy } from '@deputize/sdk'
import { type Command, Option } from 'commander'
import { type Address, type Credentials, credentialsFor } from './credentials.ts'
import { UsageError } from './exit.ts'
import { type Profile, readProfile } from './profile.ts'

export const DEFAULT_URL = 'http://127.0.0.1:8420'

/** The options of every command that calls the service, as they were typed. */
export interface ConnectionOptions {
  readonly url?: string
  readonly profile?: string
  readonly apiKeyFile?: string
  readonly tokenFile?: string
  readonly agentKeyFile?: string
  readonly json?: boolean
}

/** Secrets come from files or variables, because everybody on a machine sees the options of a command. */
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
    .addOption(new Option('--api-key-file <file>', 'holds an API key, to call as a program (DEPUTY_API_KEY)'))
    .addOption(
      new Option('--token-file <file>', 'holds a token, to call as its agent (DEPUTY_TOKEN)').conflicts(
        'apiKeyFile',
      ),
    )
    .addOption(
      new Option('--agent-key-file <file>', 'holds the key that the token is bound to (DEPUTY_AGENT_KEY)'),
    )
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
  const address = addressOf(options, profile)
  const { jti, ...shown } = await credentialsFor(address, options, process.env, profile)
  try {
    return { client: deputy({ url: address.url, ...shown }), jti, shows: shows(shown) }
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(`${address.url}: give credentials to https addresses only.`)
    throw error
  }
}

function shows({ key, token }: Pick<Credentials, 'key' | 'token'>): Contact['shows'] {
  if (key !== undefined) return 'key'
  return token === undefined ? 'nothing' : 'token'
}

/** What is typed, a profile that is typed, the environment, the profile of the user: in this order. */
function addressOf({ url, profile: named }: ConnectionOptions, profile: Profile): Address {
  const typed = url ?? (named === undefined ? undefined : profile.url)
  const chosen = addressIn(typed ?? (process.env.DEPUTY_URL || profile.url || DEFAULT_URL))
  return { url: chosen, isSame: (other) => addressIn(other ?? DEFAULT_URL) === chosen }
}

function addressIn(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`${text} is not an address. It begins with http:// or https://.`)
  return new URL(text).href
}
