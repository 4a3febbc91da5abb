import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Deputy, deputy, isDeputyError } from '@deputize/sdk'
import { fill, pick, prepareIdentities } from './cases.ts'

/** The amount of data for the dashboard. `DASHBOARD_RECORDS=1000000` for the largest store. */
export const RECORDS = Number(process.env.DASHBOARD_RECORDS ?? 100_000)
const AGENTS = 10_000
const LARGE_WORKFLOW = 5_000
const LARGE_TREE = 2_000
const DENIALS = 2_000
const QUESTIONS = 500
/** The most open requests that one token may have. */
const QUESTIONS_OF_EACH = 50
const VOUCHERS = 1_000
const VOUCHES_OF_EACH = 5
const AT_ONCE = 64
const BATCH = 1000

/** The large things of a filled store, which the screens open. */
export interface LargeStore {
  readonly workflow: string
  readonly tree: string
  readonly root_jti: string
  readonly agent_id: string
  /** An agent that many people vouch for. */
  readonly vouched_agent: string
  /** A person whom many people vouch for, and who vouches for others. */
  readonly voucher: string
}

/** Fills the store of the service at `url`, or finds what an earlier run has written. */
export async function largeStore(url: string, directory: string): Promise<LargeStore> {
  const notes = join(directory, 'large-store.json')
  if (!existsSync(notes)) writeFileSync(notes, JSON.stringify(await fillStore(url)))
  // Requests of an earlier run have expired.
  for (let round = 0; round < QUESTIONS / QUESTIONS_OF_EACH; round += 1)
    await questions(deputy({ url }), round)
  return JSON.parse(readFileSync(notes, 'utf8'))
}

async function fillStore(url: string): Promise<LargeStore> {
  const client = deputy({ url })
  const identities = await prepareIdentities(url)
  await inParallel(AGENTS, 'agents', (index) =>
    client.registerAgent({ agent_id: `agent-${index}`, display_name: `Agent ${index}` }),
  )
  const [busy] = identities
  if (busy === undefined) throw new Error('there are no tokens')
  for (let done = 0; done < LARGE_WORKFLOW; done += BATCH) await fill(url, [busy], BATCH)
  const tree = await largeTree(client)
  const vouched = await webOfTrust(client)
  for (let done = 0; done < RECORDS; done += BATCH) {
    await fill(url, identities, Math.min(BATCH, RECORDS - done))
    process.stderr.write(`\rrecords: ${done + BATCH} of ${RECORDS} `)
  }
  await inParallel(DENIALS, 'denials', (index) => deny(client, pick(identities, index).jti))
  return { workflow: busy.provenance_ref, agent_id: busy.agent_id, ...tree, ...vouched }
}

/** A root with 40 tokens below it, each with about 50 more. */
async function largeTree(client: Deputy): Promise<{ tree: string; root_jti: string }> {
  const root = await client.issueL1({
    developer_email: 'dev@example.com',
    agent_id: 'tree-root',
    resources: ['calendar:events'],
    actions: ['read', 'delegate'],
  })
  const below = (vat_jti: string, agent_id: string) =>
    client.delegate({ vat_jti, agent_id, actions: ['read', 'delegate'] })
  const branches = await Promise.all(
    Array.from({ length: 40 }, (_, index) => below(root.jti, `branch-${index}`)),
  )
  await inParallel(LARGE_TREE - 41, 'tokens', (index) =>
    below(branches[index % branches.length]?.jti ?? root.jti, `leaf-${index}`),
  )
  return { tree: root.provenance_ref, root_jti: root.jti }
}

/** People who vouch for those near them, a few for one agent, and ten anchors among them. */
async function webOfTrust(client: Deputy): Promise<{ vouched_agent: string; voucher: string }> {
  const people: string[] = []
  await inParallel(VOUCHERS, 'people', async (index) => {
    const { jti } = await client.issueL1({
      developer_email: `voucher-${index}@example.com`,
      agent_id: `agent-${index}`,
      resources: ['web:pages'],
      actions: ['read'],
    })
    people[index] = (await client.getToken({ jti })).human_ref
  })
  for (let index = 0; index < 10; index += 1)
    await client.nameAnchor({
      human_ref: pick(people, index * 97),
      base: 0.9,
      reason: 'Known to the operator.',
    })
  const vouched_agent = `agent:agent-${AGENTS - 1}`
  await inParallel(VOUCHERS * VOUCHES_OF_EACH, 'vouches', (index) => {
    const from = index % VOUCHERS
    const round = Math.floor(index / VOUCHERS)
    const to = round === 0 && from % 10 === 0 ? vouched_agent : pick(people, from + 1 + round * 7)
    return client.vouch({ from: pick(people, from), to, weight: 0.2 + (index % 8) / 10 })
  })
  return { vouched_agent, voucher: pick(people, 97) }
}

async function deny(client: Deputy, vat_jti: string): Promise<void> {
  try {
    await client.recordAction({ vat_jti, action: 'delete', resource: 'crm:contacts', result: 'success' })
  } catch (error) {
    if (!isDeputyError(error, 'not_allowed')) throw error
  }
}

async function questions(client: Deputy, round: number): Promise<void> {
  const { jti } = await client.issueL1({
    developer_email: `buyer-${round}-${Date.now()}@example.com`,
    agent_id: 'office-supplies',
    resources: ['shop:orders'],
    actions: ['buy'],
    constraints: { max_spend_usd: 1_000_000, require_approval: { actions: ['buy'] } },
    purpose: 'Monthly office supplies',
  })
  await inParallel(QUESTIONS_OF_EACH, 'questions', (index) =>
    client.authorize({ vat_jti: jti, action: 'buy', resource: 'shop:orders', spend_usd: 10 + index }),
  )
}

async function inParallel(count: number, what: string, make: (index: number) => Promise<unknown>) {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) => make(done + index)),
    )
    process.stderr.write(`\r${what}: ${done} of ${count} `)
  }
}
