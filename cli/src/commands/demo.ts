import type { Deputy } from '@deputy/sdk'
import type { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions, contactWith } from '../client/connection.ts'
import { EXIT, UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { type Ids, playDemo } from './demo/play-demo.ts'

/** `deputy demo`: five agents at work, so that every list has something to show. */
export function addDemoCommand(program: Command): void {
  const command = callingCommand(
    program,
    'demo',
    'play a workflow of five agents on a running service, to have something to look at',
  ).addHelpText(
    'after',
    '\nIt plays the human too, and so it takes open mode, where nobody is asked who that is.',
  )
  addConnectionOptions(command).action((options: ConnectionOptions) =>
    running(options, async () => {
      const { json = false } = options
      const { client } = await contactWith(options)
      await assertOpen(client)
      const screen = screenOf(process.stdout, process.env)
      const ids = await playDemo(client, (line, names) => {
        if (!json) process.stdout.write(told(line, names, screen))
      })
      process.stdout.write(json ? `${JSON.stringify(ids)}\n` : hints(ids))
      return EXIT.done
    }),
  )
}

async function assertOpen(client: Deputy): Promise<void> {
  const { access } = await client.getDeployment()
  if (access !== 'open')
    throw new UsageError(`${client.url} is in ${access} mode. The demo takes a service in open mode.`)
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
