/** People who vouch for each other and for agents, for screens. */
import type { Deputy } from '@deputize/sdk'

export interface WebOfTrust {
  /** The agent that several people vouch for. */
  readonly agent_id: string
  /** An anchor that an operator named. */
  readonly anchor: string
  /** A person who isn't an anchor. */
  readonly neighbour: string
}

/** Fills an open service: two anchors, people between them and the agent, and some who don't affect the score. */
export async function aWebOfTrust(client: Deputy, others = 8): Promise<WebOfTrust> {
  const agent_id = 'agent:night-clerk'
  await client.registerAgent({ agent_id: 'night-clerk', display_name: 'Night clerk' })
  const [anchor, second] = [await aVoucher(client, 'anchor'), await aVoucher(client, 'second')]
  await client.nameAnchor({ human_ref: anchor, base: 0.95, reason: 'Founder of the team.' })
  await client.nameAnchor({ human_ref: second, base: 0.6, reason: 'Runs the hotel desk.' })
  const neighbour = await aVoucher(client, 'neighbour')
  const vouch = (from: string, to: string, weight: number, note?: string) =>
    client.vouch({ from, to, weight, ...(note !== undefined && { note }) })
  await vouch(anchor, neighbour, 0.9, 'We worked together for six years.')
  await vouch(anchor, agent_id, 0.5, 'It has kept my calendar for a year.')
  await vouch(neighbour, agent_id, 0.8)
  await vouch(second, agent_id, 0.7)
  for (let index = 0; index < others; index += 1) {
    const other = await aVoucher(client, `other-${index}`)
    await vouch(other, index % 2 === 0 ? agent_id : neighbour, 0.2 + 0.1 * (index % 7))
    if (index % 3 === 0) await vouch(second, other, 0.4)
  }
  return { agent_id, anchor, neighbour }
}

/** A person becomes known with their first token. */
async function aVoucher(client: Deputy, name: string): Promise<string> {
  const { jti } = await client.issueL1({
    developer_email: `${name}@example.com`,
    agent_id: `helper-of-${name}`,
    resources: ['web:pages'],
    actions: ['read'],
  })
  const { human_ref } = await client.getToken({ jti })
  return human_ref
}
