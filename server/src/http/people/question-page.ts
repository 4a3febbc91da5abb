/** The page of one approval request, for a phone. */
import type { HumanCaller } from '../../access/caller.ts'
import { currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import type { OpenQuestion } from '../../operations/questions/open-question.ts'
import { escapeHtml, page } from '../pages/html.ts'
import { livePart, personFrame, timeTag } from './person-frame.ts'
import { questionAnswers, questionCard, questionTitle } from './question-card.ts'

export interface QuestionPage {
  readonly open: OpenQuestion
  readonly account: string
  readonly log_size: number
  readonly now_ms: number
}

export function questionPage(person: HumanCaller, { open, ...frame }: QuestionPage): string {
  const state = currentState(open.approval, frame.now_ms)
  const isWaiting = state === 'pending'
  const answers = isWaiting
    ? questionAnswers(open)
    : `<p class="card" id="decided" tabindex="-1">${decidedHtml(open.approval, state, open.time_zone)}</p>`
  const body = `<h1 class="hidden" id="question">Approval request</h1>${questionCard(open, answers)}`
  return personFrame(
    person,
    { ...frame, title: questionTitle(open), waiting: isWaiting ? 1 : 0 },
    `${livePart('question', body)}
<p><a href="/me">Your agents</a></p>`,
  )
}

/** Returns the same page for a question that doesn't exist and for one that another person decides. */
export function noQuestionPage(): string {
  return page(
    'No such approval request',
    `<p class="lead">This approval request does not exist, or it is not yours to answer. You may be signed in as someone else.</p>`,
    'people',
  )
}

/** Browsers withhold the session after a click on another site, so this page forwards the browser to itself. */
export function forwardPage(path: string): string {
  const address = escapeHtml(path)
  return page(
    'One moment',
    `<meta http-equiv="refresh" content="0;url=${address}"><p class="lead"><a href="${address}">Continue</a></p>`,
  )
}

function decidedHtml(approval: StoredApproval, state: string, time_zone: string | undefined): string {
  const { decided_at_ms, expires_at_ms, token_revoked } = approval
  if (state === 'expired' && token_revoked)
    return 'The agent was stopped: its token was revoked. It can no longer do this.'
  if (state === 'expired')
    return `Not answered by ${timeTag(expires_at_ms, 'exact', time_zone)}, so it was denied.`
  const word = state === 'denied' ? 'Denied' : 'Approved'
  return decided_at_ms === undefined ? `${word}.` : `${word} ${timeTag(decided_at_ms, 'exact', time_zone)}.`
}
