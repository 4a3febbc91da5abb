/** The part of /me that shows what agents did and lets the person rate it. */
import { shownAgent } from '@deputize/protocol'
import type { StoredRecord } from '../../domain/record.ts'
import { amountText } from '../../messages/words.ts'
import type { PersonOverview } from '../../operations/people/person-overview.ts'
import { readableHtml } from '../pages/html.ts'
import { shownName } from './me-agents.ts'
import { button } from './page-button.ts'
import { card, livePart, timeTag } from './person-frame.ts'

export function recordsPart(overview: PersonOverview): string {
  const { records, confirms_ratings } = overview
  const when = confirms_ratings ? '' : ' You have five seconds to undo it.'
  const list =
    records.length === 0
      ? '<p class="dim">No agent has acted for you yet.</p>'
      : `<p class="dim">A rating is final and counts toward the agent's reputation.${when}</p>
<ul class="cards">${records.map((record) => recordCard(record, overview)).join('\n')}</ul>`
  return livePart('records', `<h2 id="records" tabindex="-1">Recent actions</h2>\n${list}`)
}

function recordCard(record: StoredRecord, { names, confirms_ratings, time_zone }: PersonOverview): string {
  const { aar_id, action, resource, state, result, spend_micro_usd, created_at_ms, rating } = record
  const did = `${shownName(shownAgent(record.agent_id), names)}: ${action} ${resource}`
  const spend = spend_micro_usd === 0 ? '' : `, ${amountText(spend_micro_usd)}`
  const word = resultWord(result ?? state)
  const tone = word === 'failed' ? 'no' : 'other'
  const said = `<p class="dim">${timeTag(created_at_ms, 'ago', time_zone)}, <span class="result-${tone}">${readableHtml(word)}</span></p>`
  if (rating !== undefined) return card(`${did}${spend}`, `${said}\n<p>${ratingSentence(rating.rating)}</p>`)
  // A pending action can be rated once it is over.
  if (state === 'pending') return card(`${did}${spend}`, said)
  const buttons = RATINGS.map((one) => ratingButton(aar_id, did, one, confirms_ratings))
  return card(
    `${did}${spend}`,
    `${said}\n<div class="rate" role="group" aria-label="Rate this action">${buttons.join('\n')}</div>`,
  )
}

const RESULT_WORDS: ReadonlyMap<string, string> = new Map([
  ['success', 'done'],
  ['error', 'failed'],
  ['failure', 'failed'],
  ['partial', 'partly done'],
  ['pending', 'in progress'],
])

/** Agents report results in their own words. The most common ones are shown in plain English. */
function resultWord(result: string): string {
  return RESULT_WORDS.get(result) ?? result.replaceAll('_', ' ')
}

/** None is the default: an action that failed is as easy to rate as one that worked. */
const RATINGS = [
  { label: 'Good', rating: 'approved' },
  { label: 'Problem', rating: 'flagged' },
  { label: 'Bad', rating: 'rejected' },
] as const

function ratingSentence(given: string): string {
  const label = RATINGS.find(({ rating }) => rating === given)?.label ?? given
  return `You rated this: ${label.toLowerCase()}.`
}

/** Returns a button with time to undo, unless ratings are confirmed with a passkey: a confirmation can be cancelled. */
function ratingButton(
  aar_id: string,
  did: string,
  { label, rating }: (typeof RATINGS)[number],
  confirms_ratings: boolean,
): string {
  return button([{ operation: 'rateRecord', params: { id: aar_id }, body: { rating } }], {
    label,
    about: did,
    done: ratingSentence(rating),
    deed: `rate this as ${label.toLowerCase()}`,
    look: 'plain',
    ...(!confirms_ratings && { undo: true }),
  })
}
