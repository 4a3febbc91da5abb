import { newWebhookKeys, webhookHeaders } from '@deputize/protocol'
import type { DeputyEvent } from '@deputize/sdk'
import type { Command } from 'commander'
import { connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'

interface ListenOptions extends ConnectionOptions {
  readonly forwardTo: string
  readonly type?: string[]
  readonly secret?: string
}

const TIMEOUT_MS = 15_000

/** `deputy listen`: forwards events to a program on this machine, signed like webhooks. */
export function addListenCommand(program: Command): void {
  const command = callingCommand(
    program,
    'listen',
    'forward events to a program on this machine, as webhooks',
  )
    .requiredOption('--forward-to <url>', 'where to send each event, such as http://localhost:3000/hook')
    .option('--type <types...>', 'only events of these types, such as action.denied')
    .option('--secret <whsec>', 'sign with this secret instead of a new one')
  addHelpParagraph(
    command,
    'For development: nothing has to be reachable from the service. Prints the secret that signs the messages, then a line for each event. An event is sent once, without retries.',
  )
  addConnectionOptions(command).action((options: ListenOptions) =>
    running(options, async () => {
      const target = URL.parse(options.forwardTo)
      if (target === null || !/^https?:$/.test(target.protocol))
        throw new UsageError(`--forward-to must be an http address. It is "${options.forwardTo}".`)
      const secret = options.secret ?? newWebhookKeys('v1').signing
      if (!isSecret(secret)) throw new UsageError(MALFORMED_SECRET)
      const { client } = await connect(options)
      process.stdout.write(`secret  ${secret}\n`)
      const filter = options.type === undefined ? {} : { types: options.type as DeputyEvent['type'][] } // the service refuses unknown ones by name
      for await (const event of client.events(filter))
        process.stdout.write(`${event.id}  ${event.type}  ${await forwarded(event, target, secret)}\n`)
      return EXIT.done
    }),
  )
}

/** The least that receivers accept, as Standard Webhooks requires. */
const MIN_SECRET_BYTES = 24
const MALFORMED_SECRET = `--secret must be whsec_ and the base64 of at least ${MIN_SECRET_BYTES} bytes, such as a secret that this command has printed.`

function isSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  return Buffer.from(base64, 'base64').length >= MIN_SECRET_BYTES
}

/** Sends one event. Returns the status, or why there is none. */
async function forwarded(event: DeputyEvent, target: URL, secret: string): Promise<string> {
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const signed = webhookHeaders([secret], { id: `msg_${event.id}`, timestamp, body })
  const headers = { 'content-type': 'application/json', ...signed }
  try {
    const { status } = await fetch(target, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return String(status)
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'not reachable'
  }
}
