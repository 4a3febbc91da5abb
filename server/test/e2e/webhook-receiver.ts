/** A receiver of webhooks as a program, for tests that kill it: `webhook-receiver.ts <port> <file>`. */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

const [, , port = '', file = ''] = process.argv

const server = createServer(async (request, response) => {
  const { log_index, provenance_ref } = JSON.parse(await text(request))
  const id = request.headers['webhook-id']
  // After a kill between this line and the answer, the message is sent again.
  appendFileSync(file, `${JSON.stringify({ id, log_index, provenance_ref })}\n`)
  response.writeHead(204).end()
})
server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'))
