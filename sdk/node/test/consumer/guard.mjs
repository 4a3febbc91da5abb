/** A guard in a plain Node server, and an agent that calls it: correctly, with a used proof, and out of scope. */
import { createServer } from 'node:http'
import { deputy, importAgentKey } from '@deputize/sdk'
import { deputyGuard } from '@deputize/sdk/express'

const { url, key, audience, compact_jwt, jwk } = JSON.parse(process.argv[2])
const authority = deputyGuard({ url, key, audience })
const server = createServer((request, response) => {
  request.originalUrl = request.url
  const resource = request.url === '/events' ? 'calendar:events' : 'calendar:private'
  authority('write', resource)(request, response, () =>
    response.end(JSON.stringify(request.authority.agent_id)),
  )
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))

const here = `http://127.0.0.1:${server.address().port}`
const proofs = []
const toServer = (input, init) => {
  proofs.push(new Headers(init.headers).get('dpop'))
  return fetch(`${here}${new URL(input).pathname}`, init)
}
const agent_key = await importAgentKey(jwk)
const me = deputy({ url, fetch: toServer }).withAuthority(compact_jwt, { agent_key })
const good = await me.fetch(`${audience}/events`, { method: 'POST' })
const replayed = await fetch(`${here}/events`, {
  method: 'POST',
  headers: { authorization: `DPoP ${compact_jwt}`, dpop: proofs.at(-1) },
})
const beyond = await me.fetch(`${audience}/private`, { method: 'POST' })
const statuses = [good.status, replayed.status, beyond.status]
console.log(JSON.stringify({ statuses, agent_id: await good.json() }))
setTimeout(() => process.exit(), 500) // time to complete the record
