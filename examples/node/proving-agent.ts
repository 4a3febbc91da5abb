/** Keyed mode: a developer issues a token bound to the key of an agent, and the agent proves possession of the key. */
import { deputy, newAgentKey } from '@deputize/sdk'

const url = process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420'
const developer = deputy({ url, key: process.env.DEPUTY_API_KEY })

const agent_key = await newAgentKey() // keep it: agent_key.exportJwk(), importAgentKey(jwk)
const token = await developer.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read'],
  agent_jwk: agent_key.jwk,
})

const agent = deputy({ url }).withAuthority(token, { agent_key })
const id = await agent.run('read', 'calendar:events', ({ aar_id }) => aar_id)
console.log((await agent.client.getRecord({ id })).state)
