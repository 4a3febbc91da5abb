import { type Command, Option } from 'commander'
import { addHelpParagraph } from '../help-layout.ts'
import { EXIT_HELP } from './exit.ts'

export const DEFAULT_URL = 'http://127.0.0.1:8420'

/** The options of every command that calls the service, as typed. */
export interface ConnectionOptions {
  readonly url?: string
  readonly profile?: string
  readonly apiKeyFile?: string
  readonly tokenFile?: string
  readonly agentKeyFile?: string
  readonly json?: boolean
}

/** Secrets come from files or variables, because every user of a machine can see the options of a process. */
const OPTIONS: readonly (readonly [flags: string, description: string])[] = [
  ['--url <url>', `the service (DEPUTY_URL; default: ${DEFAULT_URL})`],
  ['--profile <file>', 'JSON file with url and the files below ($XDG_CONFIG_HOME/deputy/profile.json)'],
  ['--api-key-file <file>', 'file with an API key, to call as a program (DEPUTY_API_KEY)'],
  ['--token-file <file>', 'file with a token, to call as its agent (DEPUTY_TOKEN)'],
  ['--agent-key-file <file>', 'file with the key that the token is bound to (DEPUTY_AGENT_KEY)'],
]

const PRECEDENCE = 'Flags override environment variables, which override your profile.'

/** Adds the options for reaching the service, and the exit codes, to a command that calls it. */
export function addConnectionOptions(command: Command): Command {
  command.option('--json', 'print the response of the service as JSON')
  for (const [flags, description] of OPTIONS)
    command.addOption(new Option(flags, description).helpGroup('Connection:'))
  command.options.find(({ long }) => long === '--token-file')?.conflicts('apiKeyFile')
  return addHelpParagraph(addHelpParagraph(command, PRECEDENCE), EXIT_HELP)
}
