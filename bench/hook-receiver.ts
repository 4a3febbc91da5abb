/** Receives webhooks in a separate process and counts them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let count = 0

const server = createServer((request, response) => {
  count += 1
  request.resume()
  response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port)) // a TCP server has such an address
process.on('message', () => {
  process.send?.(count)
  count = 0
})
