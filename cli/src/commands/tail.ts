import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { eventLine } from './tail/event-line.ts'
import { follower, type TailEvent } from './tail/follower.ts'

interface TailOptions extends ConnectionOptions {
  readonly agent?: string
  readonly workflow?: string
  readonly lines: string
  readonly interval: string
  readonly follow: boolean
}

/** `deputy tail`: follows actions, denials and revocations. */
export function addTailCommand(program: Command): void {
  const command = callingCommand(program, 'tail', 'follow actions, denials and revocations as they happen')
    .option('--agent <agent_id>', 'only events of this agent')
    .option('--workflow <provenance_ref>', 'only events of this workflow')
    .option('-n, --lines <number>', 'number of past events to start with', '10')
    .option('--interval <seconds>', 'time between two requests', '1')
    .option('--no-follow', 'print the past events and exit')
  addHelpParagraph(
    command,
    'Prints each event once. A pending action is not printed again when it completes.',
  )
  addConnectionOptions(command).action((options: TailOptions) =>
    running(options, async () => {
      const lines = optionNumber(options.lines, '--lines', 0, 1000)
      const pause_ms = optionNumber(options.interval, '--interval', 0.1, 3600) * 1000
      const { client } = await connect(options)
      const { begin, next } = follower(client, options)
      const screen = screenOf(process.stdout, process.env)
      printEvents(await begin(lines), options, screen)
      while (options.follow) {
        await sleep(pause_ms)
        printEvents(await next(), options, screen)
      }
      return EXIT.done
    }),
  )
}

function printEvents(events: readonly TailEvent[], { json = false }: TailOptions, screen: Screen): void {
  for (const event of events) {
    const line = json ? JSON.stringify({ [event.kind]: event.entry }) : eventLine(event, screen)
    process.stdout.write(`${line}\n`)
  }
}

function optionNumber(text: string, option: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || number < least || number > most)
    throw new UsageError(`${option} must be a number from ${least} to ${most}. It is "${text}".`)
  return number
}
