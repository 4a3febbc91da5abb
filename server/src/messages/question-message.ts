import { type Message, type MessageFact, messageText } from './message.ts'
import { amountText, askerId, askerName, countText, instantText } from './words.ts'

/** The parts of an approval request that a message contains. Free text of the request stays on the page. */
export interface Question {
  readonly approval_id: string
  readonly agent_id: string
  readonly display_name: string | undefined
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  /** What would be left of the tightest budget. Undefined without a budget. */
  readonly left_micro_usd: number | undefined
  readonly expires_at_ms: number
}

export interface QuestionTerms {
  readonly public_url: string
  readonly tenant_id: string
  readonly time_zone: string | undefined
  /** Whether another person was asked first and has not answered. */
  readonly is_escalated: boolean
  readonly message_id: string
}

/** Returns the path of the page where a person decides. It asks for a sign-in: the address alone decides nothing. */
export function questionPath(approval_id: string, tenant_id: string): string {
  return pathOf(tenant_id, `/approve/${encodeURIComponent(approval_id)}`)
}

/** Returns the path of a person's own page. */
export function personPath(tenant_id: string): string {
  return pathOf(tenant_id, '/me')
}

/** Returns a path whose sign-in is that of the tenant. */
function pathOf(tenant_id: string, path: string): string {
  return tenant_id === 'default' ? path : `${path}?tenant=${encodeURIComponent(tenant_id)}`
}

/** Returns one message for one question, or for several that came together. */
export function questionMessage(
  questions: readonly [Question, ...Question[]],
  terms: QuestionTerms,
): Message {
  const [first, ...others] = questions
  return others.length === 0 ? single(first, terms) : several(questions, terms)
}

function single(question: Question, terms: QuestionTerms): Message {
  const { public_url, tenant_id, is_escalated, message_id } = terms
  return {
    message_id,
    title: `${askerName(question.agent_id, question.display_name)} wants to ${requestText(question)}`,
    facts: factsOf(question, terms),
    notes: [
      ...(is_escalated ? ["The first person asked hasn't answered."] : []),
      'Without an answer by then, it is denied.',
    ],
    link: { label: 'Review', url: `${public_url}${questionPath(question.approval_id, tenant_id)}` },
    topic: question.approval_id,
    is_urgent: false,
    ends_at_ms: question.expires_at_ms,
  }
}

/** Returns the action and the resource as the token names them, because they are what the person would allow. */
function requestText({ action, resource, spend_micro_usd }: Question): string {
  const amount = spend_micro_usd === 0 ? '' : ` for ${amountText(spend_micro_usd)}`
  return `${messageText(action, 60)} ${messageText(resource, 80)}${amount}`
}

function factsOf(question: Question, { time_zone }: QuestionTerms): MessageFact[] {
  const { agent_id, display_name, action, resource, spend_micro_usd, left_micro_usd, expires_at_ms } =
    question
  return [
    { label: 'Asked by', value: askerName(agent_id, display_name) },
    ...(display_name === undefined ? [] : [{ label: 'Agent', value: messageText(askerId(agent_id)) }]),
    { label: 'Action', value: messageText(action) },
    { label: 'Where', value: messageText(resource) },
    ...(spend_micro_usd === 0 ? [] : [{ label: 'Amount', value: amountText(spend_micro_usd) }]),
    ...(left_micro_usd === undefined ? [] : [{ label: 'Left after this', value: leftText(left_micro_usd) }]),
    { label: 'Answer by', value: instantText(expires_at_ms, time_zone) },
  ]
}

function leftText(left_micro_usd: number): string {
  return left_micro_usd < 0
    ? `nothing: ${amountText(-left_micro_usd)} over the budget`
    : amountText(left_micro_usd)
}

const MOST_LISTED = 8

/** Returns the agent's registered name with its id, or the id alone. The id comes last, where no name can imitate it. */
function listedAsker({ agent_id, display_name }: Question): string {
  const name = askerName(agent_id, display_name)
  return display_name === undefined ? name : `${name} (${messageText(askerId(agent_id))})`
}

function several(questions: readonly [Question, ...Question[]], terms: QuestionTerms): Message {
  const { public_url, tenant_id, time_zone, is_escalated, message_id } = terms
  const [{ agent_id, display_name }] = questions
  const agents = new Set(questions.map((question) => question.agent_id))
  const from = agents.size === 1 ? askerName(agent_id, display_name) : countText(agents.size, 'agent')
  const first_end_ms = Math.min(...questions.map(({ expires_at_ms }) => expires_at_ms))
  const unlisted = questions.length - MOST_LISTED
  return {
    message_id,
    title: `${countText(questions.length, 'approval request')} from ${from}`,
    facts: [
      ...questions.slice(0, MOST_LISTED).map((question) => ({
        label: listedAsker(question),
        value: requestText(question),
      })),
      { label: 'Answer the first by', value: instantText(first_end_ms, time_zone) },
    ],
    notes: [
      ...(unlisted > 0 ? [`${countText(unlisted, 'more approval request')} on the page.`] : []),
      ...(is_escalated ? ["The first person asked hasn't answered."] : []),
      'Without an answer in time, each is denied.',
    ],
    link: { label: `Review ${questions.length}`, url: `${public_url}${personPath(tenant_id)}#approvals` },
    topic: 'questions',
    is_urgent: false,
    ends_at_ms: Math.max(...questions.map(({ expires_at_ms }) => expires_at_ms)),
  }
}
