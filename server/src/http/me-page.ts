import { OPERATIONS, type OperationId, type Passkey, shownAgent, toUsd } from '@deputize/protocol'
import type { HumanCaller } from '../access/caller.ts'
import type { Session } from '../access/sessions.ts'
import type { StoredApproval } from '../domain/approval.ts'
import type { StoredRecord } from '../domain/record.ts'
import type { PersonOverview } from '../operations/people/person-overview.ts'
import { approvalText } from '../operations/verification/confirmation-text.ts'
import type { TokenView } from '../operations/views/token-view.ts'
import { escapeHtml, page } from './html.ts'
import { PEOPLE_STYLE } from './people-style.ts'

/** A call that a button makes. The script of the page sends it, and has it confirmed where that is asked for. */
interface PageAction {
  readonly operation: OperationId
  readonly params?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

interface Button {
  readonly label: string
  /** What the label is about, for those who hear the page. */
  readonly about: string
  readonly done: string
  readonly look?: 'bad' | 'plain'
  /** Asked before anything is done. */
  readonly question?: string
  /** The page is read again afterwards. */
  readonly reload?: true
}

/** Everything that concerns a person, and what they can do about it. */
export function mePage(person: HumanCaller, overview: PersonOverview, now_ms: number): string {
  return page(
    'Your agents',
    `<style>${PEOPLE_STYLE}</style>
<div id="people" data-csrf="${escapeHtml(person.csrf_token)}"></div>
<p class="lead">What acts in your name, what it did, and how to stop it.</p>
${section('you', 'Who you are', whoSection(person))}
${section('tokens', 'What acts in your name', tokensSection(overview, now_ms))}
${section('approvals', 'What waits for your answer', approvalsSection(overview.approvals, now_ms))}
${section('records', 'What was done last', recordsSection(overview.records))}
${section('passkeys', 'Your passkeys', passkeysSection(overview.passkeys))}
${section('sessions', 'Where you are signed in', sessionsSection(overview.sessions, person))}
<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Please confirm</h2>
<div id="confirm-words"></div>
<p><button type="button" id="confirm-yes">Confirm</button><button type="button" class="plain" id="confirm-no">Cancel</button></p>
</dialog>
<div id="status" role="status"></div>
<noscript><p>The buttons of this page need JavaScript.</p></noscript>
<script type="module" src="/people.js"></script>`,
  )
}

function section(id: string, title: string, body: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${body}</section>`
}

function whoSection({ tenant_id, human_refs, assurance_level, amr, auth_time_ms }: HumanCaller): string {
  return `<dl>
${term('Tenant', tenant_id)}
${term('Level', assurance_level)}
${term('Signed in', `${instant(auth_time_ms)}, by ${methodsOf(amr)}`)}
${human_refs.map((ref, index) => term(index === 0 ? 'Known as' : 'Also known as', ref)).join('\n')}
</dl>`
}

function tokensSection({ tokens, has_more_tokens, acting_refs }: PersonOverview, now_ms: number): string {
  if (tokens.length === 0) return '<p>Nothing acts in your name.</p>'
  const all = acting_refs.map((human_ref): PageAction => ({ operation: 'revokeHuman', body: { human_ref } }))
  return `${button(all, {
    label: 'Stop everything',
    about: '',
    done: 'Everything that acted in your name was stopped.',
    look: 'bad',
    question: 'Stop everything that acts in your name, at once and for ever?',
    reload: true,
  })}
<ul class="cards">${tokens.map((token) => tokenCard(token, now_ms)).join('\n')}</ul>
${has_more_tokens ? '<p>There are more than are shown here. Stop everything stops those too.</p>' : ''}`
}

function tokenCard(token: TokenView, now_ms: number): string {
  const { svc_scope } = token.claims
  const scope = `${svc_scope.actions.join(', ')} on ${svc_scope.resources.join(', ')}`
  const passed_on = token.delegation_depth === 0 ? '' : ', passed on by another agent'
  return card(
    token.agent_id,
    `<p>May ${escapeHtml(scope)}</p>
<dl>
${term('Budget', budgetWords(token))}
${term('Until', `${instant(Date.parse(token.expires_at))} (${left(Date.parse(token.expires_at) - now_ms)})`)}
${term('State', `${STATUS_WORDS[token.status]}${passed_on}, ${counted(token.total_actions, 'action')} so far`)}
${token.purpose === undefined ? '' : term('Purpose', token.purpose)}
</dl>
${button([{ operation: 'revokeToken', body: { vat_jti: token.jti } }], {
  label: 'Stop',
  about: `${token.agent_id}, which may ${scope}`,
  done: `${token.agent_id} was stopped, with everything it had passed on.`,
  look: 'bad',
})}`,
  )
}

const STATUS_WORDS: Readonly<Record<TokenView['status'], string>> = {
  live: 'in force',
  suspended: 'suspended',
  not_yet_valid: 'not in force yet',
  expired: 'expired',
  revoked: 'revoked',
}

function budgetWords({ budget }: TokenView): string {
  return budget === undefined
    ? 'no limit of its own'
    : `$${budget.remaining_usd} of $${budget.allocated_usd} left`
}

function approvalsSection(approvals: readonly StoredApproval[], now_ms: number): string {
  if (approvals.length === 0) return '<p>Nothing waits for you.</p>'
  return `<ul class="cards">${approvals.map((approval) => approvalCard(approval, now_ms)).join('\n')}</ul>`
}

function approvalCard(approval: StoredApproval, now_ms: number): string {
  const question = approvalText(approval)
  const params = { id: approval.approval_id }
  return card(
    `${question}?`,
    `<p class="dim">Asked ${instant(approval.created_at_ms)}. No answer by ${instant(approval.expires_at_ms)} (${left(approval.expires_at_ms - now_ms)}) means no.</p>
${approval.metadata === undefined ? '' : `<p>Details: <code>${escapeHtml(approval.metadata)}</code></p>`}
${button([{ operation: 'approve', params, body: {} }], { label: 'Approve', about: question, done: 'Approved.' })}
${button([{ operation: 'deny', params, body: {} }], { label: 'Deny', about: question, done: 'Denied.', look: 'plain' })}`,
  )
}

function recordsSection(records: readonly StoredRecord[]): string {
  if (records.length === 0) return '<p>Nothing was done in your name yet.</p>'
  return `<p class="dim">A rating never changes.</p>
<ul class="cards">${records.map(recordCard).join('\n')}</ul>`
}

function recordCard(record: StoredRecord): string {
  const { aar_id, agent_id, action, resource, state, result, spend_micro_usd, created_at_ms, rating } = record
  const did = `${shownAgent(agent_id)} ${action} ${resource}`
  const spend = spend_micro_usd === 0 ? '' : `, $${toUsd(spend_micro_usd)}`
  return card(
    `${did}${spend}`,
    `<p class="dim">${instant(created_at_ms)}, ${escapeHtml(result ?? state)}</p>
${rating === undefined ? RATING_BUTTONS.map((one) => ratingButton(aar_id, did, one)).join('\n') : `<p>You rated it: ${rating.rating}.</p>`}`,
  )
}

const RATING_BUTTONS = [
  { label: 'Approve', rating: 'approved', look: undefined },
  { label: 'Flag', rating: 'flagged', look: 'plain' },
  { label: 'Reject', rating: 'rejected', look: 'plain' },
] as const

function ratingButton(
  aar_id: string,
  did: string,
  { label, rating, look }: (typeof RATING_BUTTONS)[number],
): string {
  return button([{ operation: 'rateRecord', params: { id: aar_id }, body: { rating } }], {
    label,
    about: did,
    done: `You rated it: ${rating}.`,
    ...(look !== undefined && { look }),
  })
}

function passkeysSection(passkeys: readonly Passkey[]): string {
  const cards = passkeys.map(passkeyCard).join('\n')
  return `${passkeys.length === 0 ? '<p>You have none yet. A passkey lets you sign in with your device, and confirm what matters.</p>' : `<ul class="cards">${cards}</ul>`}
<p><label for="passkey-name">Name of a new passkey</label>
<input id="passkey-name" type="text" maxlength="100" autocomplete="off" placeholder="Laptop">
<button type="button" id="passkey-add">Add a passkey</button></p>`
}

function passkeyCard({
  passkey_id,
  name,
  created_at,
  last_used_at,
  backed_up,
  suspected_clone,
}: Passkey): string {
  const used = last_used_at === undefined ? 'not used yet' : `last used ${instant(Date.parse(last_used_at))}`
  const kept = backed_up ? 'kept in several places' : 'on one device'
  return card(
    name,
    `<p class="dim">Since ${instant(Date.parse(created_at))}, ${used}, ${kept}</p>
${suspected_clone ? '<p>There seems to be a copy of it. It is not accepted any more: remove it and add another.</p>' : ''}
${button([{ operation: 'deletePasskey', params: { id: passkey_id } }], {
  label: 'Remove',
  about: `the passkey ${name}`,
  done: 'The passkey was removed.',
  look: 'plain',
  question: `Remove the passkey "${name}"? Your other sessions end as well.`,
  reload: true,
})}`,
  )
}

function sessionsSection(sessions: readonly Session[], { session_key }: HumanCaller): string {
  const cards = sessions.map((session) => {
    const title = session.session_key === session_key ? 'Here' : 'Elsewhere'
    return card(
      title,
      `<p class="dim">Since ${instant(session.started_at_ms)}, by ${methodsOf(session.amr)}. Ends ${instant(session.expires_at_ms)} if it is not used.</p>`,
    )
  })
  return `<ul class="cards">${cards.join('\n')}</ul>
${button([{ operation: 'logOut', body: {} }], { label: 'Sign out', about: '', done: 'You are signed out.', look: 'plain', reload: true })}
${button([{ operation: 'logOut', body: { everywhere: true } }], {
  label: 'Sign out everywhere',
  about: '',
  done: 'You are signed out everywhere.',
  look: 'plain',
  reload: true,
})}`
}

function card(title: string, body: string): string {
  return `<li class="card"><h3>${escapeHtml(title)}</h3>\n${body}</li>`
}

function button(
  actions: readonly PageAction[],
  { label, about, done, look, question, reload }: Button,
): string {
  const calls = actions.map(({ operation, params, body }) => {
    const { method, path } = OPERATIONS[operation]
    return { operation, method, path: pathOf(path, params), ...(params && { params }), ...(body && { body }) }
  })
  const data = [
    `data-calls="${escapeHtml(JSON.stringify(calls))}"`,
    `data-done="${escapeHtml(done)}"`,
    ...(question === undefined ? [] : [`data-question="${escapeHtml(question)}"`]),
    ...(reload === undefined ? [] : ['data-reload']),
  ]
  const hidden = about === '' ? '' : `<span class="hidden"> ${escapeHtml(about)}</span>`
  return `<button type="button"${look === undefined ? '' : ` class="${look}"`} ${data.join(' ')}>${label}${hidden}</button>`
}

function pathOf(path: string, params: PageAction['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params?.[name] ?? ''))
}

function term(name: string, value: string): string {
  return `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`
}

function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function left(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 120) return `${counted(minutes, 'minute')} left`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${counted(hours, 'hour')} left` : `${counted(Math.round(hours / 24), 'day')} left`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Ways of signing in (RFC 8176) that people should recognize; others as they are. */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  hwk: 'passkey on a device',
  swk: 'passkey',
  otp: 'one-time code',
  mfa: 'more than one factor',
  user: 'your presence',
}

function methodsOf(amr: readonly string[]): string {
  return amr.length === 0 ? 'single sign-on' : amr.map((one) => METHODS[one] ?? one).join(', ')
}
