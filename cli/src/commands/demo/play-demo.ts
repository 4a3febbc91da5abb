import { type Deputy, deputy, isDeputyError, newAgentKey, type PublicJwk } from '@deputize/sdk'

/** The IDs of everything that a demo creates. */
export interface DemoIds {
  readonly provenance_ref: string
  readonly tokens: Readonly<Record<'planner' | 'researcher' | 'reader' | 'buyer' | 'clerk', string>>
  readonly records: Readonly<Record<'read' | 'summary' | 'ticket' | 'taxi' | 'entry' | 'open', string>>
  readonly denials: Readonly<Record<'out_of_scope' | 'over_budget' | 'revoked', string>>
  /** `given` is missing if the demo could not play the person. */
  readonly approvals: { readonly given?: string; readonly pending: string }
}

type Tell = (line: string, ids: readonly string[]) => void

/** The clients of a demo. In keyed mode, agents have their own tokens and keys, and no program can act as a person. */
export interface DemoRoles {
  readonly developer: Deputy
  readonly human: Deputy | undefined
}

interface DemoAgent {
  readonly jti: string
  /** Calls as this agent. */
  readonly client: Deputy
}

/** Plans a trip: a revoked branch, an exhausted budget, a request for approval, denials and ratings. */
export async function playDemo(roles: DemoRoles, tell: Tell): Promise<DemoIds> {
  const { provenance_ref, ...agents } = await issueTokens(roles, tell)
  const research = await doResearch(agents, tell)
  const purchase = await goShopping(roles, agents.buyer, research.summary, tell)
  const desk = await keepCalendar(agents.clerk, purchase.ticket, tell)
  await giveRatings(roles, purchase.ticket, desk.entry, tell)
  const revoked = await revokeResearch(roles, agents, tell)
  const { planner, researcher, reader, buyer, clerk } = agents
  return {
    provenance_ref,
    tokens: {
      planner: planner.jti,
      researcher: researcher.jti,
      reader: reader.jti,
      buyer: buyer.jti,
      clerk: clerk.jti,
    },
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
    approvals: {
      ...(purchase.given !== undefined && { given: purchase.given }),
      pending: purchase.pending,
    },
  }
}

type DemoAgents = Readonly<Record<keyof DemoIds['tokens'], DemoAgent>>
type Issued = { readonly jti: string; readonly compact_jwt: string; readonly provenance_ref: string }
type Bound = { readonly agent_jwk?: PublicJwk }

/** An agent with its token, bound to its own key in keyed mode. */
async function anAgent(
  { developer, human }: DemoRoles,
  ask: (bound: Bound) => Promise<Issued>,
): Promise<DemoAgent & Issued> {
  if (human !== undefined) return { ...(await ask({})), client: developer }
  const agent_key = await newAgentKey()
  const issued = await ask({ agent_jwk: agent_key.jwk })
  return { ...issued, client: deputy({ url: developer.url, token: issued.compact_jwt, agent_key }) }
}

async function issueTokens(
  roles: DemoRoles,
  tell: Tell,
): Promise<DemoAgents & { readonly provenance_ref: string }> {
  const planner = await anAgent(roles, (bound) =>
    roles.developer.issueL1({
      developer_email: 'demo@example.com',
      agent_id: 'demo-planner',
      resources: ['web:pages', 'shop:tickets', 'calendar:events'],
      actions: ['read', 'summarise', 'buy', 'write', 'delegate'],
      constraints: { max_spend_usd: 20 },
      purpose: 'Plan a trip',
      ...bound,
    }),
  )
  const { provenance_ref } = planner
  tell('A person lets demo-planner plan a trip and spend up to $20.00.', [planner.jti, provenance_ref])
  const child = async (
    parent: DemoAgent,
    agent: string,
    scope: { resources: string[]; actions: string[] },
    more = {},
  ) => {
    const given = await anAgent(roles, (bound) =>
      parent.client.delegate({ vat_jti: parent.jti, agent_id: agent, ...scope, ...more, ...bound }),
    )
    tell(`${agent} is allowed to ${scope.actions.join(', ')} on ${scope.resources.join(', ')}.`, [given.jti])
    return given
  }
  const researcher = await child(planner, 'demo-researcher', {
    resources: ['web:pages'],
    actions: ['read', 'summarise', 'delegate'],
  })
  const reader = await child(researcher, 'demo-reader', { resources: ['web:pages'], actions: ['read'] })
  const buyer = await child(
    planner,
    'demo-buyer',
    { resources: ['shop:tickets'], actions: ['buy'] },
    { constraints: { max_spend_usd: 5, require_approval: { above_usd: 2 } } },
  )
  const clerk = await child(planner, 'demo-clerk', {
    resources: ['calendar:events'],
    actions: ['read', 'write'],
  })
  return { planner, researcher, reader, buyer, clerk, provenance_ref }
}

async function doResearch(
  { reader, researcher }: DemoAgents,
  tell: Tell,
): Promise<{ read: string; summary: string }> {
  const page = { resource: 'web:pages', result: 'success' }
  const read = await reader.client.recordAction({ ...page, vat_jti: reader.jti, action: 'read' })
  tell('demo-reader reads a page.', [read.aar_id])
  const summary = await researcher.client.recordAction({
    ...page,
    vat_jti: researcher.jti,
    action: 'summarise',
    parent_aar_id: read.aar_id,
  })
  tell('demo-researcher summarizes it.', [summary.aar_id])
  return { read: read.aar_id, summary: summary.aar_id }
}

async function goShopping(roles: DemoRoles, { jti, client }: DemoAgent, parent_aar_id: string, tell: Tell) {
  const buy = { vat_jti: jti, action: 'buy', resource: 'shop:tickets' }
  const asked = await client.authorize({ ...buy, spend_usd: 4, parent_aar_id })
  const question = expectedId(asked.approval_id)
  tell('demo-buyer wants to spend $4.00. Above $2.00 it needs an approval.', [question])
  const { ticket, given } = await buyTicket(roles, { jti, client }, question, parent_aar_id, tell)
  const taxi = await client.recordAction({ ...buy, result: 'success', spend_usd: 1, parent_aar_id: ticket })
  tell('A taxi for $1.00 exhausts the budget of $5.00.', [taxi.aar_id])
  const over_budget = expectedId((await client.authorize({ ...buy, spend_usd: 0.5 })).denial_id)
  tell('Another $0.50 is denied: budget_exceeded.', [over_budget])
  const pending = given === undefined ? question : await askMore(roles, tell)
  return { ticket, taxi: taxi.aar_id, over_budget, given, pending }
}

/** Buys the ticket with an approval. If the demo cannot play the person, buys two cheap tickets that need none. */
async function buyTicket(
  { human }: DemoRoles,
  { jti, client }: DemoAgent,
  question: string,
  parent_aar_id: string,
  tell: Tell,
): Promise<{ ticket: string; given: string | undefined }> {
  const buy = { vat_jti: jti, action: 'buy', resource: 'shop:tickets', parent_aar_id }
  if (human === undefined) {
    const cheap = { ...buy, result: 'success', spend_usd: 2 }
    const there_aar = await client.recordAction(cheap)
    const back_aar = await client.recordAction(cheap)
    tell(
      'Keyed mode needs a real person to approve, so the request stays open. demo-buyer buys two tickets for $2.00 instead.',
      [there_aar.aar_id, back_aar.aar_id],
    )
    return { ticket: back_aar.aar_id, given: undefined }
  }
  await human.approve({ id: question, note: 'Window seat, please' })
  const allowed = await client.authorize({ ...buy, spend_usd: 4, approval_id: question })
  const ticket = expectedId(allowed.aar_id)
  await client.completeRecord({ id: ticket, result: 'success', spend_usd: 4 })
  tell('The person approves, and demo-buyer buys the ticket.', [ticket])
  return { ticket, given: question }
}

/** Requests an approval that stays open, in its own workflow. */
async function askMore(roles: DemoRoles, tell: Tell): Promise<string> {
  const { jti, client } = await anAgent(roles, (bound) =>
    roles.developer.issueL1({
      developer_email: 'demo@example.com',
      agent_id: 'demo-buyer',
      resources: ['shop:souvenirs'],
      actions: ['buy'],
      constraints: { max_spend_usd: 10, require_approval: {} },
      ...bound,
    }),
  )
  const asked = await client.authorize({
    vat_jti: jti,
    action: 'buy',
    resource: 'shop:souvenirs',
    spend_usd: 3,
  })
  const pending = expectedId(asked.approval_id)
  tell('demo-buyer requests a souvenir in a second workflow. That request stays open.', [jti, pending])
  return pending
}

async function keepCalendar({ jti, client }: DemoAgent, parent_aar_id: string, tell: Tell) {
  const events = { vat_jti: jti, resource: 'calendar:events' }
  const entry = await client.recordAction({ ...events, action: 'write', result: 'partial', parent_aar_id })
  tell('demo-clerk adds a part of the trip to the calendar.', [entry.aar_id])
  const out_of_scope = expectedId((await client.authorize({ ...events, action: 'delete' })).denial_id)
  tell('demo-clerk tries to delete an event and is denied: action_not_in_scope.', [out_of_scope])
  const open = expectedId((await client.authorize({ ...events, action: 'read' })).aar_id)
  tell('demo-clerk starts reading; that action is still open.', [open])
  return { entry: entry.aar_id, out_of_scope, open }
}

async function giveRatings({ human }: DemoRoles, ticket: string, entry: string, tell: Tell): Promise<void> {
  if (human === undefined) return tell('Nothing is rated: only a person who signed in can rate.', [])
  await human.rateRecord({ id: ticket, rating: 'approved', note: 'Exactly what I asked for' })
  await human.rateRecord({ id: entry, rating: 'flagged', note: 'The return trip is missing' })
  tell('The person rates the ticket approved and the calendar entry flagged.', [ticket, entry])
}

async function revokeResearch(
  { developer }: DemoRoles,
  { researcher, reader }: DemoAgents,
  tell: Tell,
): Promise<string> {
  const { revoked_count } = await developer.revokeToken({
    vat_jti: researcher.jti,
    reason: 'The research is done',
  })
  tell(`demo-researcher is revoked, and with it ${revoked_count - 1} token below it: demo-reader.`, [
    researcher.jti,
    reader.jti,
  ])
  const denial_id = await deniedRecord(reader)
  tell('demo-reader tries to read again and is denied: token_revoked.', [denial_id])
  return denial_id
}

async function deniedRecord({ jti, client }: DemoAgent): Promise<string> {
  try {
    await client.recordAction({ vat_jti: jti, action: 'read', resource: 'web:pages', result: 'success' })
  } catch (error) {
    if (isDeputyError(error, 'not_allowed')) return expectedId(error.problem.denial_id)
    throw error
  }
  throw new Error('The service allowed an action with a revoked token.')
}

/** An ID that the demo needs to continue. If it is missing, the rules decided differently than expected. */
function expectedId(id: unknown): string {
  if (typeof id !== 'string') throw new Error('The service decided differently than the demo expects.')
  return id
}
