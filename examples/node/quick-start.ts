/** The first five minutes: `npm start` in one terminal, `npx node examples/node/quick-start.ts` in another. */
import { AuthorityDenied, deputy } from '@deputize/sdk'

const client = deputy({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })

const token = await client.issueL1({
  developer_email: 'dev@example.com',
  agent_id: 'calendar-bot',
  resources: ['calendar:events'],
  actions: ['read', 'write', 'delegate'],
  constraints: { max_spend_usd: 5 },
})
const agent = client.withAuthority(token)

// An action started inside another names that one as its cause.
await agent.run('read', 'calendar:events', async () => {
  const helper = await agent.delegate({ agent_id: 'mail-bot', actions: ['write'] })
  return helper.run('write', 'calendar:events', async () => 'an invitation', { spend_usd: 0.1 })
})

const refused = await agent.run('delete', 'calendar:events', () => 'nothing').catch((error: unknown) => error)
if (!(refused instanceof AuthorityDenied)) throw new Error('it should have been refused')
console.log(`refused: ${refused.reasons.join(', ')}`)

const { data } = await client.listRecords({ provenance_ref: token.provenance_ref })
for (const record of data) {
  console.log(`${record.agent_id} ${record.action} ${record.resource}: ${record.result}`)
  await client.rateRecord({ id: record.aar_id, rating: 'approved' })
}

const { combined_reputation } = await client.getReputation({ agent_id: 'calendar-bot' })
console.log(`reputation of calendar-bot: ${combined_reputation}`)
