/** A day of work for screens: teams of agents with delegations, purchases, denials, questions and ratings. */
import { type Deputy, isDeputyError, type RecordActionInput } from '@deputize/sdk'

/** The IDs that tests look for. */
export interface BusyDay {
  /** The workflow with a tree of tokens. */
  readonly provenance_ref: string
  readonly root_jti: string
  /** The agent that was denied most often. */
  readonly denied_agent: string
  readonly approval_id: string
  readonly aar_id: string
}

const PEOPLE = ['ana@example.com', 'bo@example.com', 'chi@example.com'] as const

const NAMES = {
  'trip-planner': 'Trip planner',
  'flight-finder': 'Flight finder',
  'hotel-buyer': 'Hotel buyer',
  'calendar-clerk': 'Calendar clerk',
  'invoice-reader': 'Invoice reader',
  'support-desk': 'Support desk',
  'refund-agent': 'Refund agent',
  'office-supplies': 'Office supplies',
  'report-writer': 'Report writer',
} as const

/** Fills an open service. `rounds` scales the number of actions. */
export async function aBusyDay(client: Deputy, rounds = 3): Promise<BusyDay> {
  for (const [agent_id, display_name] of Object.entries(NAMES))
    await client.registerAgent({ agent_id, display_name, model: 'example-model-4' })
  const trip = await planTrip(client, rounds)
  await readInvoices(client, rounds)
  const denied_agent = await handleRefunds(client, rounds)
  const approval_id = await orderSupplies(client)
  return { ...trip, denied_agent, approval_id }
}

/** Records an action. Returns undefined if it was denied. */
async function attempt(client: Deputy, action: RecordActionInput): Promise<string | undefined> {
  try {
    return (await client.recordAction(action)).aar_id
  } catch (error) {
    if (isDeputyError(error, 'not_allowed')) return undefined
    throw error
  }
}

async function planTrip(client: Deputy, rounds: number) {
  const root = await client.issueL1({
    developer_email: PEOPLE[0],
    agent_id: 'trip-planner',
    resources: ['web:pages', 'travel:flights', 'travel:hotels', 'calendar:events'],
    actions: ['read', 'search', 'summarise', 'buy', 'write', 'delegate'],
    constraints: { max_spend_usd: 1200 },
    purpose: 'Plan the Lisbon offsite in March',
  })
  const below = (vat_jti: string, agent_id: string, resources: string[], actions: string[], usd?: number) =>
    client.delegate({
      vat_jti,
      agent_id,
      resources,
      actions,
      ...(usd !== undefined && { constraints: { max_spend_usd: usd, require_approval: { above_usd: 300 } } }),
    })
  const finder = await below(
    root.jti,
    'flight-finder',
    ['web:pages', 'travel:flights'],
    ['read', 'search', 'delegate'],
  )
  const writer = await below(finder.jti, 'report-writer', ['web:pages'], ['read'])
  const buyer = await below(root.jti, 'hotel-buyer', ['travel:hotels'], ['search', 'buy'], 640)
  const clerk = await below(root.jti, 'calendar-clerk', ['calendar:events'], ['read', 'write'])
  const done = { result: 'success' } as const
  const first = await client.recordAction({
    ...done,
    vat_jti: root.jti,
    action: 'summarise',
    resource: 'web:pages',
  })
  let cause = first.aar_id
  for (let round = 0; round < rounds; round += 1) {
    const step = async (
      vat_jti: string,
      action: string,
      resource: string,
      spend_usd = 0,
      result = 'success',
    ) => {
      const made = await attempt(client, {
        vat_jti,
        action,
        resource,
        result,
        spend_usd,
        parent_aar_id: cause,
      })
      if (made !== undefined) cause = made
      return made
    }
    await step(finder.jti, 'search', 'travel:flights')
    await step(writer.jti, 'read', 'web:pages')
    await step(finder.jti, 'read', 'web:pages', 0, round % 3 === 2 ? 'failure' : 'success')
    await step(buyer.jti, 'search', 'travel:hotels')
    const bought = await step(buyer.jti, 'buy', 'travel:hotels', 84.5 + round * 11.25)
    await step(clerk.jti, 'write', 'calendar:events', 0, round % 2 === 1 ? 'partial' : 'success')
    if (bought !== undefined && round < 4)
      await client.rateRecord({
        id: bought,
        rating: round === 1 ? 'flagged' : 'approved',
        ...(round === 1 && { note: 'Too far from the station' }),
      })
  }
  await client.authorize({
    vat_jti: clerk.jti,
    action: 'write',
    resource: 'calendar:events',
    parent_aar_id: cause,
  })
  await client.authorize({ vat_jti: buyer.jti, action: 'buy', resource: 'travel:hotels', spend_usd: 310 })
  return { provenance_ref: root.provenance_ref, root_jti: root.jti, aar_id: cause }
}

async function readInvoices(client: Deputy, rounds: number): Promise<void> {
  const { jti } = await client.issueL1({
    developer_email: PEOPLE[1],
    agent_id: 'invoice-reader',
    resources: ['mail:inbox', 'books:invoices'],
    actions: ['read', 'write'],
    constraints: { max_spend_usd: 25 },
    purpose: 'File the invoices of November',
  })
  for (let round = 0; round < rounds * 3; round += 1) {
    const resource = round % 2 === 0 ? 'mail:inbox' : 'books:invoices'
    await client.recordAction({
      vat_jti: jti,
      action: round % 2 === 0 ? 'read' : 'write',
      resource,
      result: 'success',
      spend_usd: 0.12,
    })
  }
  await attempt(client, { vat_jti: jti, action: 'delete', resource: 'books:invoices', result: 'success' })
}

/** Plays an agent that keeps requesting what it may not do. */
async function handleRefunds(client: Deputy, rounds: number): Promise<string> {
  const desk = await client.issueL1({
    developer_email: PEOPLE[2],
    agent_id: 'support-desk',
    resources: ['shop:orders', 'shop:refunds'],
    actions: ['read', 'refund', 'delegate'],
    constraints: { max_spend_usd: 90 },
    purpose: 'Answer customers who wait for a refund',
  })
  const agent = await client.delegate({
    vat_jti: desk.jti,
    agent_id: 'refund-agent',
    resources: ['shop:orders', 'shop:refunds'],
    actions: ['read', 'refund'],
    constraints: { max_spend_usd: 60 },
  })
  const act = (action: string, resource: string, spend_usd = 0) =>
    attempt(client, { vat_jti: agent.jti, action, resource, result: 'success', spend_usd })
  for (let round = 0; round < rounds; round += 1) {
    await act('read', 'shop:orders')
    await act('refund', 'shop:refunds', 18)
    for (let again = 0; again < 3; again += 1) await act('delete', 'shop:orders')
    await act('refund', 'shop:vouchers', 5)
    await act('refund', 'shop:refunds', 90)
  }
  return 'refund-agent'
}

async function orderSupplies(client: Deputy): Promise<string> {
  const { jti } = await client.issueL1({
    developer_email: PEOPLE[0],
    agent_id: 'office-supplies',
    resources: ['shop:orders'],
    actions: ['buy'],
    constraints: { max_spend_usd: 200, require_approval: { actions: ['buy'] } },
    purpose: 'Monthly office supplies',
  })
  const asked = await client.authorize({
    vat_jti: jti,
    action: 'buy',
    resource: 'shop:orders',
    spend_usd: 149.9,
    metadata: { item: 'Standing desk, oak, 140 cm', order: 'OD-88213', delivery: '2026-11-19' },
  })
  if (asked.approval_id === undefined) throw new Error('The purchase asked for no approval.')
  return asked.approval_id
}
