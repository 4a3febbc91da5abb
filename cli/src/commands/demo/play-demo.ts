import { type Deputy, isDeputyError } from '@deputy/sdk'

/** Everything that a demo left behind. */
export interface Ids {
  readonly provenance_ref: string
  readonly tokens: Readonly<Record<'planner' | 'researcher' | 'reader' | 'buyer' | 'clerk', string>>
  readonly records: Readonly<Record<'read' | 'summary' | 'ticket' | 'taxi' | 'entry' | 'open', string>>
  readonly denials: Readonly<Record<'out_of_scope' | 'over_budget' | 'revoked', string>>
  readonly approvals: Readonly<Record<'given' | 'pending', string>>
}

type Tell = (line: string, ids: readonly string[]) => void

/** A trip is planned: a revoked branch, a budget used up, a question to the human, denials and ratings. */
export async function playDemo(client: Deputy, tell: Tell): Promise<Ids> {
  const tokens = await handOut(client, tell)
  const research = await doResearch(client, tokens, tell)
  const purchase = await goShopping(client, tokens.buyer, research.summary, tell)
  const desk = await keepCalendar(client, tokens.clerk, purchase.ticket, tell)
  await giveRatings(client, purchase.ticket, desk.entry, tell)
  const revoked = await revokeResearch(client, tokens, tell)
  const { provenance_ref, ...jtis } = tokens
  return {
    provenance_ref,
    tokens: jtis,
    records: {
      read: research.read,
      summary: research.summary,
      ticket: purchase.ticket,
      taxi: purchase.taxi,
      entry: desk.entry,
      open: desk.open,
    },
    denials: {
      out_of_scope: desk.out_of_scope,
      over_budget: purchase.over_budget,
      revoked,
    },
    approvals: { given: purchase.given, pending: purchase.pending },
  }
}

type Tokens = Ids['tokens'] & { readonly provenance_ref: string }

async function handOut(client: Deputy, tell: Tell): Promise<Tokens> {
  const root = await client.issueL1({
    developer_email: 'demo@example.com',
    agent_id: 'demo-planner',
    resources: ['web:pages', 'shop:tickets', 'calendar:events'],
    actions: ['read', 'summarise', 'buy', 'write', 'delegate'],
    constraints: { max_spend_usd: 20 },
    purpose: 'Plan a trip',
  })
  tell('A human lets demo-planner plan a trip, for at most $20.00.', [root.jti, root.provenance_ref])
  const child = async (
    parent: string,
    agent: string,
    scope: { resources: string[]; actions: string[] },
    more = {},
  ) => {
    const { jti } = await client.delegate({ vat_jti: parent, agent_id: agent, ...scope, ...more })
    tell(`${agent} gets ${scope.actions.join(', ')} on ${scope.resources.join(', ')}.`, [jti])
    return jti
  }
  const researcher = await child(root.jti, 'demo-researcher', {
    resources: ['web:pages'],
    actions: ['read', 'summarise', 'delegate'],
  })
  const reader = await child(researcher, 'demo-reader', { resources: ['web:pages'], actions: ['read'] })
  const buyer = await child(
    root.jti,
    'demo-buyer',
    { resources: ['shop:tickets'], actions: ['buy'] },
    { constraints: { max_spend_usd: 5, require_approval: { above_usd: 2 } } },
  )
  const clerk = await child(root.jti, 'demo-clerk', {
    resources: ['calendar:events'],
    actions: ['read', 'write'],
  })
  return { planner: root.jti, researcher, reader, buyer, clerk, provenance_ref: root.provenance_ref }
}

async function doResearch(
  client: Deputy,
  { reader, researcher }: Tokens,
  tell: Tell,
): Promise<{ read: string; summary: string }> {
  const page = { resource: 'web:pages', result: 'success' }
  const read = await client.recordAction({ ...page, vat_jti: reader, action: 'read' })
  tell('demo-reader reads a page.', [read.aar_id])
  const summary = await client.recordAction({
    ...page,
    vat_jti: researcher,
    action: 'summarise',
    parent_aar_id: read.aar_id,
  })
  tell('demo-researcher summarises it.', [summary.aar_id])
  return { read: read.aar_id, summary: summary.aar_id }
}

async function goShopping(client: Deputy, vat_jti: string, parent_aar_id: string, tell: Tell) {
  const buy = { vat_jti, action: 'buy', resource: 'shop:tickets' }
  const ticket = { ...buy, spend_usd: 4, parent_aar_id }
  const asked = await client.authorize(ticket)
  const given = there(asked.approval_id)
  tell('demo-buyer wants to spend $4.00. Above $2.00 a human is asked.', [given])
  await client.approve({ id: given, note: 'Window seat, please' })
  const allowed = await client.authorize({ ...ticket, approval_id: given })
  const aar_id = there(allowed.aar_id)
  await client.completeRecord({ id: aar_id, result: 'success', spend_usd: 4 })
  tell('The human approves, and the ticket is bought.', [aar_id])
  const taxi = await client.recordAction({ ...buy, result: 'success', spend_usd: 1, parent_aar_id: aar_id })
  tell('A taxi for $1.00 uses the budget of $5.00 up.', [taxi.aar_id])
  const over_budget = there((await client.authorize({ ...buy, spend_usd: 0.5 })).denial_id)
  tell('Another $0.50 is denied: budget_exceeded.', [over_budget])
  const pending = await askMore(client, tell)
  return { ticket: aar_id, taxi: taxi.aar_id, over_budget, given, pending }
}

/** A question that nobody answers, in a workflow of its own: its agent has money left. */
async function askMore(client: Deputy, tell: Tell): Promise<string> {
  const { jti } = await client.issueL1({
    developer_email: 'demo@example.com',
    agent_id: 'demo-buyer',
    resources: ['shop:souvenirs'],
    actions: ['buy'],
    constraints: { max_spend_usd: 10, require_approval: {} },
  })
  const asked = await client.authorize({
    vat_jti: jti,
    action: 'buy',
    resource: 'shop:souvenirs',
    spend_usd: 3,
  })
  const pending = there(asked.approval_id)
  tell('demo-buyer asks for a souvenir in a second workflow. That question stays open.', [jti, pending])
  return pending
}

async function keepCalendar(client: Deputy, vat_jti: string, parent_aar_id: string, tell: Tell) {
  const events = { vat_jti, resource: 'calendar:events' }
  const entry = await client.recordAction({ ...events, action: 'write', result: 'partial', parent_aar_id })
  tell('demo-clerk enters the trip, but not all of it.', [entry.aar_id])
  const out_of_scope = there((await client.authorize({ ...events, action: 'delete' })).denial_id)
  tell('demo-clerk may not delete: action_not_in_scope.', [out_of_scope])
  const open = there((await client.authorize({ ...events, action: 'read' })).aar_id)
  tell('demo-clerk is still reading.', [open])
  return { entry: entry.aar_id, out_of_scope, open }
}

async function giveRatings(client: Deputy, ticket: string, entry: string, tell: Tell): Promise<void> {
  await client.rateRecord({ id: ticket, rating: 'approved', note: 'Exactly what I asked for' })
  await client.rateRecord({ id: entry, rating: 'flagged', note: 'The way back is missing' })
  tell('The human approves of the ticket and flags the entry in the calendar.', [ticket, entry])
}

async function revokeResearch(client: Deputy, { researcher, reader }: Tokens, tell: Tell): Promise<string> {
  const { revoked_count } = await client.revokeToken({ vat_jti: researcher, reason: 'Enough is known' })
  tell(`demo-researcher is revoked, and with it ${revoked_count - 1} below: demo-reader.`, [
    researcher,
    reader,
  ])
  const denial_id = await deniedRecord(client, reader)
  tell('demo-reader tries once more: token_revoked.', [denial_id])
  return denial_id
}

async function deniedRecord(client: Deputy, vat_jti: string): Promise<string> {
  try {
    await client.recordAction({ vat_jti, action: 'read', resource: 'web:pages', result: 'success' })
  } catch (error) {
    if (isDeputyError(error, 'not_allowed')) return there(error.problem.denial_id)
    throw error
  }
  throw new Error('a revoked token was good for an action')
}

/** What the story needs to go on. Its absence would mean that the rules decided otherwise than they should. */
function there(id: unknown): string {
  if (typeof id !== 'string') throw new Error('the service decided otherwise than the demo expects')
  return id
}
