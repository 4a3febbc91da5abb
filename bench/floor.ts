import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The floor of all comparisons: a bare node:http server that parses a JSON body of about 200 bytes and returns JSON in
 * the shape of record/action. It validates, decides and stores nothing.
 */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const answer = JSON.stringify({
      recorded: true,
      aar_id: body.vat_jti,
      provenance_ref: body.vat_jti,
      trust_score: 0.5,
      delegation_depth: 0,
    })
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(answer),
    })
    response.end(answer)
  })
})

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  process.stdout.write(`address http://127.0.0.1:${port}\n`)
})
