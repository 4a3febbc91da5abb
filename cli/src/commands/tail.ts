import type { DeputyEvent } from '@deputize/sdk'
import type { Command } from 'commander'
import { connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { screenOf } from '../terminal/screen.ts'
import { eventLine } from './tail/event-line.ts'
import { eventsAfter, pastEvents, type TailFilter } from './tail/past-events.ts'

interface TailOptions extends ConnectionOptions {
  readonly agent?: string
  readonly workflow?: string
  readonly vatJti?: string
  readonly type?: string[]
  readonly lines: string
  readonly after?: string
  readonly follow: boolean
}

/** `deputy tail`: follows events. */
export function addTailCommand(program: Command): void {
  const command = callingCommand(program, 'tail', 'follow what happens: actions, denials, approvals, tokens')
    .option('--agent <agent_id>', 'only events about this agent')
    .option('--workflow <provenance_ref>', 'only events of this workflow')
    .option('--vat-jti <jti>', 'only events about this token')
    .option('--type <types...>', 'only events of these types, such as action.denied')
    .option('-n, --lines <number>', 'number of past events to start with', '10')
    .option('--after <number>', 'start after the event with this number instead; -1 for all events')
    .option('--no-follow', 'print the past events and exit')
  addHelpParagraph(
    command,
    'Prints each event once, in the order of the log. It reconnects automatically and misses no event. Times are in UTC.',
  )
  addConnectionOptions(command).action((options: TailOptions) =>
    running(options, async () => {
      const lines = optionNumber(options.lines, '--lines', 0, 1000)
      const start =
        options.after === undefined ? undefined : optionNumber(options.after, '--after', -1, 2 ** 53 - 1)
      const { client } = await connect(options)
      const filter = filterOf(options)
      const screen = screenOf(process.stdout, process.env)
      const print = (event: DeputyEvent) => {
        process.stdout.write(`${options.json === true ? JSON.stringify(event) : eventLine(event, screen)}\n`)
      }
      if (start !== undefined) {
        const chosen = options.follow
          ? client.events({ ...filter, after: start })
          : eventsAfter(client, filter, start)
        for await (const event of chosen) print(event)
        return EXIT.done
      }
      const past = await pastEvents(client, filter, lines)
      for (const event of past.events) print(event)
      if (!options.follow) return EXIT.done
      for await (const event of client.events({ ...filter, after: past.after })) print(event)
      return EXIT.done
    }),
  )
}

function filterOf({ agent, workflow, vatJti, type }: TailOptions): TailFilter {
  return {
    ...(agent !== undefined && { agent_id: agent }),
    ...(workflow !== undefined && { provenance_ref: workflow }),
    ...(vatJti !== undefined && { vat_jti: vatJti }),
    ...(type !== undefined && { types: type as DeputyEvent['type'][] }), // the service refuses unknown ones by name
  }
}

function optionNumber(text: string, option: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^-?\d+$/.test(text) || number < least || number > most)
    throw new UsageError(`${option} must be a whole number from ${least} to ${most}. It is "${text}".`)
  return number
}
