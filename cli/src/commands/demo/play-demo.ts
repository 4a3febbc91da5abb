import { type Deputy, deputy, isDeputyError, newAgentKey, type PublicJwk } from '@deputize/sdk'

/** Everything that a demo left behind. */
export interface Ids {
  readonly provenance_ref: string
  readonly tokens: Readonly<Record<'planner' | 'researcher' | 'reader' | 'buyer' | 'clerk', string>>
  readonly records: Readonly<Record<'read' | 'summary' | 'ticket' | 'taxi' | 'entry' | 'open', string>>
  readonly denials: Readonly<Record<'out_of_scope' | 'over_budget' | 'revoked', string>>
  /** `given` is missing where nobody could play the human. */
  readonly approvals: { readonly given?: string; readonly pending: string }
}

type Tell = (line: string, ids: readonly string[]) => void

/** Who plays. In keyed mode agents have tokens and keys of their own, and no program can pass for a human. */
export interface Stage {
  readonly developer: Deputy
  readonly human: Deputy | undefined
}

interface Agent {
  readonly jti: string
  /** Calls as this agent. */
  readonly client: Deputy
}

/** A trip is planned: a revoked branch, a budget used up, a question to the human, denials and ratings. */
export async function playDemo(stage: Stage, tell: Tell): Promise<Ids> {
  const { provenance_ref, ...agents } = await handOut(stage, tell)
  const research = await doResearch(agents, tell)
  const purchase = await goShopping(stage, agents.buyer, research.summary, tell)
  const desk = await keepCalendar(agents.clerk, purchase.ticket, tell)
  await giveRatings(stage, purchase.ticket, desk.entry, tell)
  const revoked = await revokeResearch(stage, agents, tell)
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

type Agents = Readonly<Record<keyof Ids['tokens'], Agent>>
type Issued = { readonly jti: string; readonly compact_jwt: string; readonly provenance_ref: string }
type Bound = { readonly agent_jwk?: PublicJwk }

/** An agent with the token that was asked for, bound to a key of its own where that counts. */
async function anAgent(
  { developer, human }: Stage,
  ask: (bound: Bound) => Promise<Issued>,
): Promise<Agent & Issued> {
  if (human !== undefined) return { ...(await ask({})), client: developer }
  const agent_key = await newAgentKey()
  const issued = await ask({ agent_jwk: agent_key.jwk })
  return { ...issued, client: deputy({ url: developer.url, token: issued.compact_jwt, agent_key }) }
}

async function handOut(stage: Stage, tell: Tell): Promise<Agents & { readonly provenance_ref: string }> {
  const planner = await anAgent(stage, (bound) =>
    stage.developer.issueL1({
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
  tell('A human lets demo-planner plan a trip, for at most $20.00.', [planner.jti, provenance_ref])
  const child = async (
    parent: Agent,
    agent: string,
    scope: { resources: string[]; actions: string[] },
    more = {},
  ) => {
    const given = await anAgent(stage, (bound) =>
      parent.client.delegate({ vat_jti: parent.jti, agent_id: agent, ...scope, ...more, ...bound }),
    )
    tell(`${agent} gets ${scope.actions.join(', ')} on ${scope.resources.join(', ')}.`, [given.jti])
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
  { reader, researcher }: Agents,
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
  tell('demo-researcher summarises it.', [summary.aar_id])
  return { read: read.aar_id, summary: summary.aar_id }
}

async function goShopping(stage: Stage, { jti, client }: Agent, parent_aar_id: string, tell: Tell) {
  const buy = { vat_jti: jti, action: 'buy', resource: 'shop:tickets' }
  const asked = await client.authorize({ ...buy, spend_usd: 4, parent_aar_id })
  const question = there(asked.approval_id)
  tell('demo-buyer wants to spend $4.00. Above $2.00 a human is asked.', [question])
  const { ticket, given } = await buyTicket(stage, { jti, client }, question, parent_aar_id, tell)
  const taxi = await client.recordAction({ ...buy, result: 'success', spend_usd: 1, parent_aar_id: ticket })
  tell('A taxi for $1.00 uses the budget of $5.00 up.', [taxi.aar_id])
  const over_budget = there((await client.authorize({ ...buy, spend_usd: 0.5 })).denial_id)
  tell('Another $0.50 is denied: budget_exceeded.', [over_budget])
  const pending = given === undefined ? question : await askMore(stage, tell)
  return { ticket, taxi: taxi.aar_id, over_budget, given, pending }
}

/** With a yes of the human. Without a human to play, as two tickets that nobody has to be asked about. */
async function buyTicket(
  { human }: Stage,
  { jti, client }: Agent,
  question: string,
  parent_aar_id: string,
  tell: Tell,
): Promise<{ ticket: string; given: string | undefined }> {
  const buy = { vat_jti: jti, action: 'buy', resource: 'shop:tickets', parent_aar_id }
  if (human === undefined) {
    const cheap = { ...buy, result: 'success', spend_usd: 2 }
    const there_aar = await client.recordAction(cheap)
    const back_aar = await client.recordAction(cheap)
    tell('Nobody plays the human in keyed mode: the question stays open, and two tickets for $2.00 do.', [
      there_aar.aar_id,
      back_aar.aar_id,
    ])
    return { ticket: back_aar.aar_id, given: undefined }
  }
  await human.approve({ id: question, note: 'Window seat, please' })
  const allowed = await client.authorize({ ...buy, spend_usd: 4, approval_id: question })
  const ticket = there(allowed.aar_id)
  await client.completeRecord({ id: ticket, result: 'success', spend_usd: 4 })
  tell('The human approves, and the ticket is bought.', [ticket])
  return { ticket, given: question }
}

/** A question that nobody answers, in a workflow of its own: its agent has money left. */
async function askMore(stage: Stage, tell: Tell): Promise<string> {
  const { jti, client } = await anAgent(stage, (bound) =>
    stage.developer.issueL1({
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
  const pending = there(asked.approval_id)
  tell('demo-buyer asks for a souvenir in a second workflow. That question stays open.', [jti, pending])
  return pending
}

async function keepCalendar({ jti, client }: Agent, parent_aar_id: string, tell: Tell) {
  const events = { vat_jti: jti, resource: 'calendar:events' }
  const entry = await client.recordAction({ ...events, action: 'write', result: 'partial', parent_aar_id })
  tell('demo-clerk enters the trip, but not all of it.', [entry.aar_id])
  const out_of_scope = there((await client.authorize({ ...events, action: 'delete' })).denial_id)
  tell('demo-clerk may not delete: action_not_in_scope.', [out_of_scope])
  const open = there((await client.authorize({ ...events, action: 'read' })).aar_id)
  tell('demo-clerk is still reading.', [open])
  return { entry: entry.aar_id, out_of_scope, open }
}

async function giveRatings({ human }: Stage, ticket: string, entry: string, tell: Tell): Promise<void> {
  if (human === undefined) return tell('Nothing is rated: only the human may, after signing in.', [])
  await human.rateRecord({ id: ticket, rating: 'approved', note: 'Exactly what I asked for' })
  await human.rateRecord({ id: entry, rating: 'flagged', note: 'The way back is missing' })
  tell('The human approves of the ticket and flags the entry in the calendar.', [ticket, entry])
}

async function revokeResearch(
  { developer }: Stage,
  { researcher, reader }: Agents,
  tell: Tell,
): Promise<string> {
  const { revoked_count } = await developer.revokeToken({
    vat_jti: researcher.jti,
    reason: 'Enough is known',
  })
  tell(`demo-researcher is revoked, and with it ${revoked_count - 1} below: demo-reader.`, [
    researcher.jti,
    reader.jti,
  ])
  const denial_id = await deniedRecord(reader)
  tell('demo-reader tries once more: token_revoked.', [denial_id])
  return denial_id
}

async function deniedRecord({ jti, client }: Agent): Promise<string> {
  try {
    await client.recordAction({ vat_jti: jti, action: 'read', resource: 'web:pages', result: 'success' })
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
