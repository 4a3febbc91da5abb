import { type Deputy, isDeputyError, type VouchInput } from '@deputize/sdk'

/** The IDs of a demo's people, and of everything that they and their agents create. */
export interface DemoPeople {
  readonly people: Readonly<Record<'ana' | 'bo' | 'chi', string>>
  readonly vouches: readonly string[]
  /** Their pending approval requests. */
  readonly questions: readonly string[]
}

type Tell = (line: string, ids: readonly string[]) => void

/** The agent of `playDemo` that people vouch for. */
const VOUCHED = 'agent:demo-buyer'

/** Adds three people to a service in open mode. Each has an agent, they vouch for each other, and two get a request. */
export async function playPeople(client: Deputy, tell: Tell): Promise<DemoPeople> {
  const [ana, bo, chi] = [
    await aPerson(client, 'ana', 'Order office supplies'),
    await aPerson(client, 'bo', 'Book the team dinner'),
    await aPerson(client, 'chi', 'Read the news'),
  ]
  const people = { ana: ana.human_ref, bo: bo.human_ref, chi: chi.human_ref }
  tell('Three people have agents:', Object.values(people))
  const vouches = await vouchForEachOther(client, people)
  tell(`They vouch for each other and for ${VOUCHED}:`, vouches)
  const questions = [
    await ask(client, ana.vat_jti, 149.9, { item: 'Standing desk, oak, 140 cm', order: 'OD-88213' }),
    await ask(client, bo.vat_jti, 86, { place: 'Trattoria Sole', guests: '6', time: '19:30' }),
  ]
  tell('Two agents ask before they buy:', questions)
  return { people, vouches, questions }
}

async function aPerson(client: Deputy, name: string, purpose: string) {
  const { jti: vat_jti } = await client.issueL1({
    developer_email: `${name}@example.com`,
    agent_id: `demo-helper-of-${name}`,
    resources: ['shop:orders'],
    actions: ['read', 'buy'],
    constraints: { max_spend_usd: 200, require_approval: { actions: ['buy'] } },
    purpose,
  })
  const { human_ref } = await client.getToken({ jti: vat_jti })
  return { vat_jti, human_ref }
}

async function vouchForEachOther(client: Deputy, { ana, bo, chi }: DemoPeople['people']): Promise<string[]> {
  await client.nameAnchor({ human_ref: ana, base: 0.9, reason: 'Demo: known to the operator.' })
  const wanted = [
    { from: ana, to: bo, weight: 0.8, note: 'We have worked together for years.' },
    { from: bo, to: chi, weight: 0.5 },
    { from: ana, to: VOUCHED, weight: 0.4 },
    { from: bo, to: VOUCHED, weight: 0.7, note: 'It has bought my tickets before.' },
  ]
  const vouches: string[] = []
  for (const vouch of wanted) vouches.push(await vouchOnce(client, vouch))
  return vouches
}

/** Returns the ID of the vouch. One that an earlier demo made stays. */
async function vouchOnce(client: Deputy, vouch: VouchInput): Promise<string> {
  try {
    return (await client.vouch(vouch)).vouch_id
  } catch (error) {
    if (!isDeputyError(error, 'vouch_exists')) throw error
    return String(error.problem.vouch_id)
  }
}

async function ask(
  client: Deputy,
  vat_jti: string,
  spend_usd: number,
  metadata: Readonly<Record<string, string>>,
): Promise<string> {
  const { approval_id } = await client.authorize({
    vat_jti,
    action: 'buy',
    resource: 'shop:orders',
    spend_usd,
    metadata: { ...metadata },
  })
  if (approval_id === undefined) throw new Error('The demo expected a request for approval.')
  return approval_id
}
