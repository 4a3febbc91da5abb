/** The part of /me about the agents that act for the person, with the buttons that stop them. */
import { withoutAgentPrefix } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import { countText, usdText } from '../../messages/words.ts'
import type { PersonOverview } from '../../operations/people/person-overview.ts'
import type { TokenAnswer } from '../../operations/views/token-view.ts'
import { readableHtml } from '../pages/html.ts'
import { button, type PageAction } from './page-button.ts'
import { card, livePart, term, termHtml, timeTag } from './person-frame.ts'

/** With more topmost tokens than this, the question before stopping all agents has no preview. */
const MAX_PREVIEWED = 20
/** Further agents are collapsed until the person opens the list. */
const MAX_OPEN = 10

export function agentsPart(person: HumanCaller, overview: PersonOverview): string {
  return livePart(
    'tokens',
    `<h2 id="tokens" tabindex="-1">Your agents</h2>
${tokensSection(overview)}
${stoppedSection(overview)}
${refusalSection(person, overview)}`,
  )
}

/** Returns the registered name of an agent, or its id. */
export function shownName(agent_id: string, names: PersonOverview['names']): string {
  return names.get(agent_id) ?? withoutAgentPrefix(agent_id)
}

function tokensSection(overview: PersonOverview): string {
  const { tokens, has_more_tokens } = overview
  if (tokens.length === 0)
    return '<p class="dim">No agent acts for you. When you let one act in your name, it appears here, and you can stop it here.</p>'
  // Above the list, so that it is at hand however long the list is.
  return `${stopAllButton(overview)}
${tokenCards(tokens.slice(0, MAX_OPEN), overview)}
${moreAgents(tokens.slice(MAX_OPEN), overview)}
${has_more_tokens ? '<p class="dim">More agents act for you than this page shows. "Stop all agents" stops those too.</p>' : ''}`
}

function tokenCards(tokens: readonly TokenAnswer[], overview: PersonOverview): string {
  return `<ul class="cards">${tokens.map((token) => tokenCard(token, overview)).join('\n')}</ul>`
}

/** Collapses further agents, so that the rest of the page stays within reach of a thumb. */
function moreAgents(tokens: readonly TokenAnswer[], overview: PersonOverview): string {
  if (tokens.length === 0) return ''
  return `<details class="more" id="more-agents"><summary>${countText(tokens.length, 'more agent')}</summary>${tokenCards(tokens, overview)}</details>`
}

function tokenCard(token: TokenAnswer, { names, time_zone }: PersonOverview): string {
  const { svc_scope } = token.claims
  const name = shownName(token.agent_id, names)
  const scope = `${svc_scope.actions.join(', ')} on ${svc_scope.resources.join(', ')}`
  const delegated = token.delegation_depth === 0 ? '' : ', delegated by another agent'
  return card(
    name,
    `<p>Can ${readableHtml(scope)}</p>
<dl>
${term('Status', `${STATUS_LABELS[token.status]}${delegated}, ${countText(token.total_actions, 'action')} so far`)}
${term('Budget', remainingBudget(token))}
${termHtml('Until', timeTag(Date.parse(token.expires_at), 'until', time_zone))}
${token.purpose === undefined ? '' : term('Purpose', token.purpose)}
${names.has(token.agent_id) ? term('Agent', withoutAgentPrefix(token.agent_id)) : ''}
</dl>
${button([{ operation: 'revokeToken', body: { vat_jti: token.jti } }], {
  label: 'Stop…',
  about: `${name}, which can ${scope}`,
  done: `Stopped ${name}, and every agent that it delegated to.`,
  deed: `stop ${name}`,
  look: 'stop',
  stops: { name, tokens: [token.jti] },
})}`,
  )
}

const STATUS_LABELS: Readonly<Record<TokenAnswer['status'], string>> = {
  live: 'in force',
  suspended: 'suspended',
  not_yet_valid: 'not in force yet',
  expired: 'expired',
  revoked: 'stopped',
}

function remainingBudget({ budget }: TokenAnswer): string {
  return budget === undefined
    ? 'no limit on this token'
    : `${usdText(budget.remaining_usd)} of ${usdText(budget.allocated_usd)} left`
}

function stopAllButton({ tokens, acting_refs }: PersonOverview): string {
  // One ref is enough: the person behind it is stopped under each of their refs.
  const all = acting_refs
    .slice(0, 1)
    .map((human_ref): PageAction => ({ operation: 'revokeHuman', body: { human_ref } }))
  const listed = new Set(tokens.map(({ jti }) => jti))
  const topmost = tokens.filter(({ parent_jti }) => parent_jti === undefined || !listed.has(parent_jti))
  return button(all, {
    label: 'Stop all agents…',
    about: '',
    done: 'All agents stopped.',
    deed: 'stop all agents',
    look: 'stop',
    // Without a preview the question has no numbers, but it is still asked.
    stops: {
      name: 'every agent that acts for you',
      tokens: topmost.length > MAX_PREVIEWED ? [] : topmost.map(({ jti }) => jti),
    },
  })
}

/** Lists agents that would act now if they hadn't been stopped. */
function stoppedSection({ stopped, names }: PersonOverview): string {
  if (stopped.length === 0) return ''
  const lines = stopped.map(({ agent_id, status }) => {
    return `<li>${readableHtml(shownName(agent_id, names))}: ${STATUS_LABELS[status]}</li>`
  })
  return `<details class="more" id="stopped"><summary>Stopped agents (${stopped.length})</summary><ul class="lines">${lines.join('\n')}</ul></details>`
}

/** Revoking stops the current agents. This refuses new ones. */
function refusalSection({ human_ref }: HumanCaller, { refuses_tokens }: PersonOverview): string {
  const params = { human_ref }
  if (refuses_tokens)
    return `<p>You refuse new tokens in your name: no one can let another agent act for you.</p>
${button([{ operation: 'acceptTokens', params }], {
  label: 'Accept new tokens again',
  about: '',
  done: 'New tokens in your name are accepted again.',
  deed: 'accept new tokens again',
  look: 'plain',
})}`
  return `<details class="more" id="refusal"><summary>Refuse new agents</summary>
<p class="dim">You can refuse new tokens in your name. Agents that act for you now are not affected.</p>
${button([{ operation: 'refuseTokens', params }], {
  label: 'Not in my name',
  about: '',
  done: 'New tokens in your name are refused.',
  deed: 'refuse new tokens',
  look: 'plain',
})}</details>`
}
