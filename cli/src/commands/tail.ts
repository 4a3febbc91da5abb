import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { addConnectionOptions, type ConnectionOptions, contactWith } from '../client/connection.ts'
import { EXIT, UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { eventLine } from './tail/event-line.ts'
import { type Event, follower } from './tail/follower.ts'

interface TailOptions extends ConnectionOptions {
  readonly agent?: string
  readonly workflow?: string
  readonly lines: string
  readonly interval: string
  readonly follow: boolean
}

/** `deputy tail`: what is done, denied and revoked, as it happens. */
export function addTailCommand(program: Command): void {
  const command = callingCommand(program, 'tail', 'follow what is done, denied and revoked')
    .option('--agent <agent_id>', 'only of this agent')
    .option('--workflow <provenance_ref>', 'only of this workflow')
    .option('-n, --lines <number>', 'how much of the past to begin with', '10')
    .option('--interval <seconds>', 'how often to look', '1')
    .option('--no-follow', 'end after what is there')
    .addHelpText(
      'after',
      '\nEach thing is told once, as it stands then: a pending record is not told again when it ends.',
    )
  addConnectionOptions(command).action((options: TailOptions) =>
    running(options, async () => {
      const lines = readNumber(options.lines, '--lines', 0, 1000)
      const pause_ms = readNumber(options.interval, '--interval', 0.1, 3600) * 1000
      const { client } = await contactWith(options)
      const { begin, next } = follower(client, options)
      const screen = screenOf(process.stdout, process.env)
      write(await begin(lines), options, screen)
      while (options.follow) {
        await sleep(pause_ms)
        write(await next(), options, screen)
      }
      return EXIT.done
    }),
  )
}

function write(events: readonly Event[], { json = false }: TailOptions, screen: Screen): void {
  for (const event of events) {
    const line = json ? JSON.stringify({ [event.kind]: event.entry }) : eventLine(event, screen)
    process.stdout.write(`${line}\n`)
  }
}

function readNumber(text: string, option: string, least: number, most: number): number {
  const number = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || number < least || number > most)
    throw new UsageError(`${option} ${text} must be a number from ${least} to ${most}.`)
  return number
}
