import { isDeputyError } from '@deputize/sdk'
import type { Command } from 'commander'
import { type Connected, connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { type DemoIds, type DemoRoles, playDemo } from './demo/play-demo.ts'
import { playPeople } from './demo/play-people.ts'

const DEMO_HELP =
  'In open mode, the demo also plays the person. In keyed mode, pass the API key of a developer: each agent gets its own key, and steps that need a person (approvals and ratings) are skipped.'

/** `deputy demo`: runs a workflow of five agents, so that every list has entries. */
export function addDemoCommand(program: Command): void {
  const command = callingCommand(program, 'demo', 'run a sample workflow of five agents on a running service')
  addHelpParagraph(command, DEMO_HELP)
  command.option(
    '--people',
    'also add people who vouch for each other and are asked for approval (open mode)',
  )
  addConnectionOptions(command).action((options: ConnectionOptions & { readonly people?: true }) =>
    running(options, async () => {
      const { json = false } = options
      const roles = await demoRoles(await connect(options))
      const { human } = roles
      if (options.people === true && human === undefined) throw new UsageError(NEEDS_OPEN_MODE)
      const screen = screenOf(process.stdout, process.env)
      const tell = (line: string, names: readonly string[]) => {
        if (!json) process.stdout.write(demoLine(line, names, screen))
      }
      const ids = await playDemo(roles, tell).catch((error: unknown) => {
        if (!json && isDeputyError(error, 'role_not_allowed')) process.stderr.write(`${NEEDS_DEVELOPER}\n`)
        throw error
      })
      const people =
        options.people === true && human !== undefined ? await playPeople(human, tell) : undefined
      process.stdout.write(
        json
          ? `${JSON.stringify({ ...ids, ...people })}\n`
          : nextCommands(ids, people !== undefined, roles.developer.url),
      )
      return EXIT.done
    }),
  )
}

const NEEDS_OPEN_MODE = '--people needs a service in open mode. In keyed mode, people sign in themselves.'

const NEEDS_DEVELOPER =
  'The demo issues tokens, which needs the API key of a developer. An operator can create one:\n  deputy keys create --name demo --role developer --save-key developer.key'

/** The clients that play the roles of the demo. */
async function demoRoles({ client, credential }: Connected): Promise<DemoRoles> {
  const { access } = await client.getDeployment()
  if (access === 'open') return { developer: client, human: client }
  if (credential === 'key') return { developer: client, human: undefined }
  throw new UsageError(
    `${client.url} is in ${access} mode. Pass the API key of a developer with --api-key-file.`,
  )
}

function demoLine(line: string, ids: readonly string[], { paint }: Screen): string {
  return `${line}\n${ids.map((id) => `  ${paint('dim', id)}\n`).join('')}`
}

function nextCommands({ provenance_ref, tokens, records }: DemoIds, hasPeople: boolean, url: string): string {
  return [
    '',
    'Explore the result:',
    `  deputy show ${provenance_ref}`,
    `  deputy show ${tokens.planner}`,
    `  deputy show ${records.ticket}`,
    '  deputy approvals --state pending',
    '  deputy agents',
    '  deputy tail --no-follow',
    ...(hasPeople ? ['  deputy trust show agent:demo-buyer', '  deputy trust vouches'] : []),
    '',
    `Or open ${url}/app`,
    '',
  ].join('\n')
}
