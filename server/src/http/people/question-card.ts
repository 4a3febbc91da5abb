/** One approval request: what is asked, what it costs, why, until when, and the answers. */
import { type AskedBecause, toUsd } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { approverRef, type Decider } from '../../domain/approvals/approvers.ts'
import { requestSummary } from '../../domain/approvals/request-summary.ts'
import { amountText, askerId, askerName, countText } from '../../messages/words.ts'
import type { OpenQuestion } from '../../operations/questions/open-question.ts'
import type { QuestionDetails } from '../../operations/questions/question-details.ts'
import { approverLines } from '../../operations/verification/step-up/confirmation-text.ts'
import { readableHtml } from '../pages/html.ts'
import { button } from './page-button.ts'
import { capitalised, term, timeTag } from './person-frame.ts'

/** Returns the request as a question. */
export function questionTitle({ approval }: OpenQuestion): string {
  return `${capitalised(approval.action)} ${approval.resource}?`
}

/** Returns who asks, for what and for how much, in one line. */
export function questionLine(open: OpenQuestion): string {
  const { spend_micro_usd } = open.approval
  const amount = spend_micro_usd === 0 ? '' : `, ${amountText(spend_micro_usd)}`
  return `${nameOf(open)}: ${open.approval.action} ${open.approval.resource}${amount}`
}

/** Returns the question as HTML, with `answers` below it. */
export function questionCard(open: OpenQuestion, answers: string): string {
  const { approval, details, time_zone } = open
  const { spend_micro_usd } = details.question
  return `<p class="asker">${readableHtml(nameOf(open))} asks · ${timeTag(approval.created_at_ms, 'ago', time_zone)}</p>
<h2 class="what">${readableHtml(questionTitle(open))}</h2>
${spend_micro_usd === 0 ? '' : `<p class="amount">${amountText(spend_micro_usd)}</p>`}
${factsOf(approval, details)}${budgetOf(details)}
<p class="dim">${readableHtml(`${causeText(open)} ${reputationText(details)}`)}</p>
${answers}`
}

/** Returns the answers to a waiting question, as HTML. */
export function questionAnswers(open: OpenQuestion): string {
  const { approval, time_zone } = open
  const notes = approverLines(approval).map((line) => `<p class="dim">${readableHtml(line)}</p>`)
  return `${notes.join('\n')}
<div class="answers"><p class="dim">Answer by ${timeTag(approval.expires_at_ms, 'until', time_zone)}. Without an answer, it is denied.</p>
${approveButton(open)}
${denyButton(open)}
${stopButton(open)}
${grantButton(open)}</div>`
}

function nameOf({ details: { question } }: OpenQuestion): string {
  return askerName(question.agent_id, question.display_name)
}

/** Returns one row per member of the request. A line without a member's name goes in a row named Request. */
function factsOf({ metadata }: StoredApproval, { question, purpose }: QuestionDetails): string {
  const rows = requestSummary(metadata).map((line) => {
    const at = line.indexOf(': ')
    return at < 0 ? (['Request', line] as const) : ([line.slice(0, at), line.slice(at + 2)] as const)
  })
  const facts = [
    ...rows.map(([name, value]) => term(capitalised(name), value)),
    ...(purpose === undefined ? [] : [term('For', `“${purpose}”`)]),
    // A registered name can be anything. The id cannot.
    ...(question.display_name === undefined ? [] : [term('Agent', askerId(question.agent_id))]),
  ]
  return facts.length === 0 ? '' : `<dl class="facts">${facts.join('\n')}</dl>\n`
}

function budgetOf({ question, budget }: QuestionDetails): string {
  if (question.spend_micro_usd === 0) return ''
  if (budget === undefined) return '<p class="dim">This agent has no budget: its spending is not limited.</p>'
  const { allocated_micro_usd, spent_micro_usd, reserved_micro_usd } = budget
  const used_micro_usd = spent_micro_usd + reserved_micro_usd
  const left_micro_usd = question.left_micro_usd ?? 0
  const share = Math.min(1, (used_micro_usd + question.spend_micro_usd) / Math.max(1, allocated_micro_usd))
  const rest =
    left_micro_usd < 0
      ? `This is ${amountText(-left_micro_usd)} more than is left of ${amountText(allocated_micro_usd)}.`
      : `${amountText(left_micro_usd)} would be left of ${amountText(allocated_micro_usd)}.`
  return `<p class="dim">Budget: ${amountText(used_micro_usd)} used, this would take ${amountText(question.spend_micro_usd)}. ${rest}</p>
<div class="bar" aria-hidden="true"><span style="width:${Math.round(share * 100)}%"></span></div>`
}

const CAUSES: Readonly<Record<AskedBecause, (approval: StoredApproval) => string>> = {
  always: () => 'everything this agent does needs approval',
  action: ({ action }) => `this agent needs approval to ${action}`,
  resource: ({ resource }) => `this agent needs approval for ${resource}`,
  amount: () => 'the amount is above the limit of this agent',
  review: () => 'your organization reviews it',
}

function causeText({ causes, approval }: OpenQuestion): string {
  if (causes.length === 0)
    return 'You are asked because your organization reviews this, or because an alert about the agent fired.'
  return `You are asked because ${causes.map((cause) => CAUSES[cause](approval)).join(', and ')}.`
}

function reputationText({ reputation, total_actions }: QuestionDetails): string {
  return total_actions === 0
    ? 'It has no record yet.'
    : `Its reputation is ${reputation.toFixed(2)} from ${countText(total_actions, 'action')}.`
}

function approveButton(open: OpenQuestion): string {
  const why = approveObstacle(open.approval, open.decider, open.needs_face)
  if (why !== undefined) return `<p>${why}</p>`
  const { approval_id, spend_micro_usd } = open.approval
  const amount = spend_micro_usd === 0 ? '' : ` ${amountText(spend_micro_usd)}`
  return button([{ operation: 'approve', params: { id: approval_id }, body: {} }], {
    label: `Approve${amount}`,
    about: `for ${nameOf(open)}`,
    done: 'Approved.',
    deed: `approve this${amount === '' ? '' : ` for${amount}`}`,
  })
}

/** Returns why this person can't approve here, although they may deny. */
function approveObstacle(
  { approvers, endorsements }: StoredApproval,
  decider: Decider,
  needs_face: boolean,
): string | undefined {
  if (needs_face) return 'To approve this, verify yourself with your face in the app of your organization.'
  if (approvers.length === 0) return undefined
  if (endorsements.some(({ by }) => decider.refs.includes(by))) return 'You approved this.'
  return approverRef(approvers, decider) === undefined ? 'Other people approve this.' : undefined
}

function denyButton({ approval: { approval_id } }: OpenQuestion): string {
  return button([{ operation: 'deny', params: { id: approval_id }, body: {} }], {
    label: 'Deny…',
    about: '',
    done: 'Denied.',
    deed: 'deny this',
    look: 'plain',
    note: 'Reason (optional). The agent gets it.',
    yes: 'Deny',
  })
}

/** Returns the stop button, or nothing: only the person that the agent acts for can stop it. */
function stopButton(open: OpenQuestion): string {
  if (!open.may_stop) return ''
  const { vat_jti } = open.approval
  const name = nameOf(open)
  return button([{ operation: 'revokeToken', body: { vat_jti } }], {
    label: 'Stop this agent…',
    about: '',
    done: `Stopped ${name}.`,
    deed: `stop ${name}`,
    look: 'stop',
    stops: { name, tokens: [vat_jti] },
  })
}

/** Grants half an hour and, if the request costs something, five times its amount. For people who decide alone. */
function grantButton(open: OpenQuestion): string {
  const { approval_id, approvers, spend_micro_usd } = open.approval
  if (open.needs_face || approvers.length > 0) return ''
  const most_micro_usd = 5 * spend_micro_usd
  const isFree = spend_micro_usd === 0
  const grant = isFree ? { minutes: 30 } : { minutes: 30, max_spend_usd: toUsd(most_micro_usd) }
  const approve = button([{ operation: 'approve', params: { id: approval_id }, body: { grant } }], {
    label: `Approve for 30 minutes${isFree ? '' : `, up to ${amountText(most_micro_usd)}`}`,
    about: '',
    done: 'Approved for 30 minutes.',
    deed: 'approve this for 30 minutes',
    look: 'plain',
  })
  return `<details class="more" id="more-${approval_id}"><summary>Approve more than this</summary>
<p class="dim">Approves this and similar requests, without asking you again.</p>${approve}</details>`
}
