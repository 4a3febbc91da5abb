import { isDeputyError } from '@deputize/sdk'
import type { Command } from 'commander'
import {
  addConnectionOptions,
  type ConnectionOptions,
  type Contact,
  contactWith,
} from '../client/connection.ts'
import { EXIT, UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { type Ids, playDemo, type Stage } from './demo/play-demo.ts'

/** `deputy demo`: five agents at work, so that every list has something to show. */
export function addDemoCommand(program: Command): void {
  const command = callingCommand(
    program,
    'demo',
    'play a workflow of five agents on a running service, to have something to look at',
  ).addHelpText(
    'after',
    [
      '',
      'In open mode it plays the human too. In keyed mode it takes the API key of a developer: agents get',
      'keys of their own, and what only a human may do, approving and rating, is left undone.',
    ].join('\n'),
  )
  addConnectionOptions(command).action((options: ConnectionOptions) =>
    running(options, async () => {
      const { json = false } = options
      const stage = await stageFor(await contactWith(options))
      const screen = screenOf(process.stdout, process.env)
      const ids = await playDemo(stage, (line, names) => {
        if (!json) process.stdout.write(told(line, names, screen))
      }).catch((error: unknown) => {
        if (!json && isDeputyError(error, 'role_not_allowed')) process.stderr.write(`${NEEDS_DEVELOPER}\n`)
        throw error
      })
      process.stdout.write(json ? `${JSON.stringify(ids)}\n` : hints(ids))
      return EXIT.done
    }),
  )
}

const NEEDS_DEVELOPER =
  'The demo asks for tokens, and only the key of a developer may. An operator makes one:\n  deputy keys create --name demo --role developer --save-key developer.key'

/** Who plays, as far as the service lets them. */
async function stageFor({ client, shows }: Contact): Promise<Stage> {
  const { access } = await client.getDeployment()
  if (access === 'open') return { developer: client, human: client }
  if (shows === 'key') return { developer: client, human: undefined }
  throw new UsageError(
    `${client.url} is in ${access} mode. Name the API key of a developer with --api-key-file.`,
  )
}

function told(line: string, ids: readonly string[], { paint }: Screen): string {
  return `${line}\n${ids.map((id) => `  ${paint('dim', id)}\n`).join('')}`
}

function hints({ provenance_ref, tokens, records }: Ids): string {
  return [
    '',
    'Look at it:',
    `  deputy show ${provenance_ref}`,
    `  deputy show ${tokens.planner}`,
    `  deputy show ${records.ticket}`,
    '  deputy approvals --state pending',
    '  deputy agents',
    '  deputy tail --no-follow',
    '',
  ].join('\n')
}
