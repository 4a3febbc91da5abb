/** Verifies a token and a receipt without asking the service about them: `npm start`, then `npx node examples/node/offline.ts`. */
import { setTimeout } from 'node:timers/promises'
import { deputy, TokenRefused, tokenVerifier, verifyReceipt } from '@deputize/sdk'

const url = process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420'
const audience = 'https://calendar.example'
const client = deputy({ url })
const token = await client.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read'],
  audience,
})

// Keys and revocations are fetched from time to time. Tokens are verified here.
const verifier = tokenVerifier({ url, audience, fresh_s: 1 })
const { agent_id, claims } = await verifier.verify(token.compact_jwt)
console.log(`${agent_id} may ${claims.svc_scope.actions.join(', ')}`)

// A receipt proves that the log contains an action, to anyone who has pinned the key of the log. It needs no network.
const { log } = await client.getDeployment()
const id = await client.withAuthority(token).run('read', 'calendar:events', ({ aar_id }) => aar_id)
const receipt = JSON.stringify(await client.getReceipt({ id }))
const { entries } = await verifyReceipt(JSON.parse(receipt), { log: log.vkey })
console.log(`the log says: ${entries.map(({ kind }) => kind).join(', ')}`)

const forged = JSON.parse(receipt.replaceAll('calendar:events', 'calendar:secrets'))
await verifyReceipt(forged, { log: log.vkey }).catch(({ code }) => console.log(`a changed receipt: ${code}`))

await client.revokeToken({ vat_jti: token.jti })
await setTimeout(1_500)
await verifier.verify(token.compact_jwt).catch((error: unknown) => {
  if (!(error instanceof TokenRefused)) throw error
  console.log(`after the revocation: ${error.code}`)
})
