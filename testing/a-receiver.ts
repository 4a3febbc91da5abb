import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from './eventually.ts'
import type { TestScope } from './scope.ts'

/** A message as received by a webhook. */
export interface ReceivedMessage {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ReceiverAnswer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A receiver of webhooks on this machine. */
export interface Receiver {
  readonly url: string
  /** Its entry for DEPUTY_OUTBOUND_ALLOW. */
  readonly host: string
  readonly messages: ReceivedMessage[]
  /** The answer to each message. Default: 204. */
  answer: (message: ReceivedMessage) => ReceiverAnswer | Promise<ReceiverAnswer>
  /** Waits until at least `count` messages have arrived, and returns all. */
  received(count: number): Promise<readonly ReceivedMessage[]>
}

export async function aReceiver(scope: TestScope): Promise<Receiver> {
  const messages: ReceivedMessage[] = []
  const server = createServer(async (request, response) => {
    const message = { path: request.url ?? '', headers: request.headers, body: await text(request) }
    messages.push(message)
    const { status, headers, body } = await receiver.answer(message)
    response.writeHead(status, headers).end(body)
  })
  const port = await listening(server, scope)
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    messages,
    answer: () => ({ status: 204 }),
    received: (count) =>
      eventually(`${count} messages`, () => (messages.length >= count ? messages : undefined), 60_000),
  }
  return receiver
}

async function listening(server: Server, scope: TestScope): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port // a TCP server has such an address
}
