/** A person's page: requests that wait for their answer, then the agents that act for them, and what those did. */
import { shownAgent } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import type { Habit, HabitKey } from '../../domain/approvals/habit.ts'
import { amountText, countText } from '../../messages/words.ts'
import type { PersonOverview } from '../../operations/people/person-overview.ts'
import type { OpenQuestion } from '../../operations/questions/open-question.ts'
import { escapeHtml, readableHtml } from '../pages/html.ts'
import { accountPart, biometricsPart, passkeysPart, sessionsPart, signedInAs } from './me-account.ts'
import { agentsPart, shownName } from './me-agents.ts'
import { recordsPart } from './me-records.ts'
import { notificationsSection } from './notifications-section.ts'
import { button } from './page-button.ts'
import { card, closedPart, livePart, personFrame, timeTag } from './person-frame.ts'
import { questionAnswers, questionCard, questionLine } from './question-card.ts'

/** Shows everything that concerns a person, with the actions that they can take. */
export function mePage(person: HumanCaller, overview: PersonOverview): string {
  const { questions, more_questions, log_size, now_ms, notifications, names } = overview
  const waiting = questions.length + more_questions
  const channels = notifications.channels.length
  const reached = channels === 0 ? 'on this page only' : countText(channels, 'place')
  return personFrame(
    person,
    { title: 'Your agents', waiting, account: signedInAs(person, overview), log_size, now_ms, names },
    `${questionsPart(overview, waiting)}
${agentsPart(person, overview)}
${recordsPart(overview)}
${closedPart('notifications', 'Where approval requests reach you', reached, notificationsSection(notifications))}
${passkeysPart(overview)}
${biometricsPart(person, overview)}
${sessionsPart(person, overview)}
${accountPart(person, overview)}`,
  )
}

function questionsPart(overview: PersonOverview, waiting: number): string {
  const { questions, more_questions, granted } = overview
  const [first, ...others] = questions
  const title = waiting === 0 ? 'No approval requests' : `${countText(waiting, 'approval request')} for you`
  const body = [
    ...(waiting === 0 ? ['<p class="dim">When an agent needs your approval, it asks here.</p>'] : []),
    ...(first === undefined ? [] : [`<article class="card">${answerable(first)}</article>`]),
    ...others.map(closedQuestion),
    ...(more_questions === 0
      ? []
      : [
          `<p class="dim">${countText(more_questions, 'more approval request')} can wait longer. Answer these first.</p>`,
        ]),
    ...(granted.length === 0
      ? []
      : [`<ul class="cards">${granted.map((habit) => grantCard(habit, overview)).join('\n')}</ul>`]),
  ]
  return livePart('approvals', `<h1 id="approvals" tabindex="-1">${title}</h1>\n${body.join('\n')}`)
}

/** Returns a collapsed question. Only the first question is open, so that the page has one main button. */
function closedQuestion(open: OpenQuestion): string {
  const { approval_id } = open.approval
  return `<details class="card" id="${escapeHtml(approval_id)}"><summary>${readableHtml(questionLine(open))}</summary>${answerable(open)}</details>`
}

function answerable(open: OpenQuestion): string {
  return questionCard(open, questionAnswers(open))
}

function grantCard(habit: HabitKey & Habit, { names, time_zone }: PersonOverview): string {
  const { agent_id, action, resource, grant } = habit
  if (grant === undefined) return ''
  const { approval_id, expires_at_ms, max_spend_micro_usd, spent_micro_usd, uses } = grant
  const allowed = `${shownName(shownAgent(agent_id), names)} may ${action} ${resource} without asking`
  const spent =
    max_spend_micro_usd === 0
      ? ''
      : `, ${amountText(spent_micro_usd)} of ${amountText(max_spend_micro_usd)} used`
  return card(
    allowed,
    `<p class="dim">Until ${timeTag(expires_at_ms, 'until', time_zone)}. Used ${countText(uses, 'time')} so far${spent}.</p>
${button([{ operation: 'endGrant', body: { approval_id } }], {
  label: 'Ask me again',
  about: allowed,
  done: 'You will be asked again.',
  deed: 'be asked again',
  look: 'plain',
})}`,
  )
}
