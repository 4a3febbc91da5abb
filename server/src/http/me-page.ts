import { OPERATIONS, type OperationId, type Passkey, shownAgent, toUsd } from '@deputize/protocol'
import type { HumanCaller } from '../access/caller.ts'
import type { Session } from '../access/sessions.ts'
import type { StoredApproval } from '../domain/approval.ts'
import { approverRef, type Decider } from '../domain/approvers.ts'
import { type FaceApprovalRule, needsFace } from '../domain/face-approval.ts'
import type { Habit, HabitKey } from '../domain/habit.ts'
import type { StoredRecord } from '../domain/record.ts'
import { requestSummary } from '../domain/request-summary.ts'
import type { PersonOverview } from '../operations/people/person-overview.ts'
import { approvalText, approverLines } from '../operations/verification/confirmation-text.ts'
import type { TokenAnswer } from '../operations/views/token-view.ts'
import { escapeHtml, page, readableHtml } from './html.ts'
import { PEOPLE_STYLE } from './people-style.ts'

/** A call that a button makes. The script of the page sends it, and gets it confirmed where the tenant requires that. */
interface PageAction {
  readonly operation: OperationId
  readonly params?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

interface Button {
  readonly label: string
  /** What the label is about, for screen readers. */
  readonly about: string
  readonly done: string
  readonly look?: 'bad' | 'plain'
  /** A question that the person must confirm first. */
  readonly question?: string
  /** Reloads the page afterwards. */
  readonly reload?: true
}

/** Everything that concerns a person, with the actions that they can take. */
export function mePage(person: HumanCaller, overview: PersonOverview, now_ms: number): string {
  return page(
    'Your agents',
    `<style>${PEOPLE_STYLE}</style>
<div id="people" data-csrf="${escapeHtml(person.csrf_token)}"></div>
<p class="lead">See the agents that act for you, review what they did, and stop them.</p>
${section('you', 'Your account', whoSection(person))}
${section(
  'tokens',
  'Active agents',
  `${tokensSection(overview, now_ms)}
${refusalSection(person, overview)}`,
)}
${section('approvals', 'Approval requests', approvalsSection(overview, now_ms))}
${section('records', 'Recent actions', recordsSection(overview.records))}
${section('passkeys', 'Your passkeys', passkeysSection(overview.passkeys))}
${section('biometrics', 'Biometric verification', biometricsSection(overview, person))}
${section('sessions', 'Signed-in devices', sessionsSection(overview.sessions, person))}
<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Confirm</h2>
<div id="confirm-words"></div>
<p><button type="button" id="confirm-yes">Confirm</button><button type="button" class="plain" id="confirm-no">Cancel</button></p>
</dialog>
<div id="status" role="status"></div>
<noscript><p>The buttons on this page require JavaScript.</p></noscript>
<script type="module" src="/people.js"></script>`,
  )
}

function section(id: string, title: string, body: string): string {
  return `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>\n${body}</section>`
}

function whoSection({ tenant_id, human_refs, assurance_level, amr, auth_time_ms }: HumanCaller): string {
  return `<dl>
${term('Tenant', tenant_id)}
${term('Assurance level', assurance_level)}
${term('Signed in', `${instant(auth_time_ms)} with ${methodsOf(amr)}`)}
${human_refs.map((ref, index) => term(index === 0 ? 'Known as' : 'Also known as', ref)).join('\n')}
</dl>`
}

/** Revoking stops the agents of today; this stops those of tomorrow. */
function refusalSection({ human_ref }: HumanCaller, { refuses_tokens }: PersonOverview): string {
  const params = { human_ref }
  return refuses_tokens
    ? `<p>You refuse new tokens in your name: no one can let another agent act for you.</p>
${button([{ operation: 'acceptTokens', params }], {
  label: 'Accept new tokens again',
  about: '',
  done: 'New tokens in your name are accepted again.',
  look: 'plain',
  reload: true,
})}`
    : `<p>You can refuse new tokens in your name. Agents that act for you now are not affected.</p>
${button([{ operation: 'refuseTokens', params }], {
  label: 'Not in my name',
  about: '',
  done: 'New tokens in your name are refused.',
  look: 'plain',
  reload: true,
})}`
}

function tokensSection({ tokens, has_more_tokens, acting_refs }: PersonOverview, now_ms: number): string {
  if (tokens.length === 0) return '<p>No agent acts for you.</p>'
  const all = acting_refs.map((human_ref): PageAction => ({ operation: 'revokeHuman', body: { human_ref } }))
  return `${button(all, {
    label: 'Stop all agents',
    about: '',
    done: 'All agents stopped.',
    look: 'bad',
    question: 'Stop every agent that acts for you? This takes effect immediately and cannot be undone.',
    reload: true,
  })}
<ul class="cards">${tokens.map((token) => tokenCard(token, now_ms)).join('\n')}</ul>
${has_more_tokens ? '<p>More agents act for you than this page shows. "Stop all agents" stops those too.</p>' : ''}`
}

function tokenCard(token: TokenAnswer, now_ms: number): string {
  const { svc_scope } = token.claims
  const scope = `${svc_scope.actions.join(', ')} on ${svc_scope.resources.join(', ')}`
  const delegated = token.delegation_depth === 0 ? '' : ', delegated by another agent'
  return card(
    token.agent_id,
    `<p>Can ${readableHtml(scope)}</p>
<dl>
${term('Budget', remainingBudget(token))}
${term('Expires', `${instant(Date.parse(token.expires_at))} (${left(Date.parse(token.expires_at) - now_ms)})`)}
${term('Status', `${STATUS_LABELS[token.status]}${delegated}, ${counted(token.total_actions, 'action')} so far`)}
${token.purpose === undefined ? '' : term('Purpose', token.purpose)}
</dl>
${button([{ operation: 'revokeToken', body: { vat_jti: token.jti } }], {
  label: 'Stop',
  about: `${token.agent_id}, which can ${scope}`,
  done: `Stopped ${token.agent_id} and every agent it delegated to.`,
  look: 'bad',
})}`,
  )
}

const STATUS_LABELS: Readonly<Record<TokenAnswer['status'], string>> = {
  live: 'active',
  suspended: 'suspended',
  not_yet_valid: 'not active yet',
  expired: 'expired',
  revoked: 'revoked',
}

function remainingBudget({ budget }: TokenAnswer): string {
  return budget === undefined
    ? 'no limit on this token'
    : `$${budget.remaining_usd} of $${budget.allocated_usd} left`
}

function approvalsSection(overview: PersonOverview, now_ms: number): string {
  const { approvals, granted } = overview
  const cards = [
    ...approvals.map((approval) => approvalCard(approval, overview, now_ms)),
    ...granted.map((habit) => grantCard(habit, now_ms)),
  ]
  if (cards.length === 0) return '<p>No requests are waiting for you.</p>'
  return `<ul class="cards">${cards.join('\n')}</ul>`
}

function approvalCard(
  approval: StoredApproval,
  { decider, face_approvals }: PersonOverview,
  now_ms: number,
): string {
  const question = approvalText(approval)
  const facts = [...requestSummary(approval.metadata), ...approverLines(approval)]
  return card(
    `${question}?`,
    `<p class="dim">Requested ${instant(approval.created_at_ms)}. Expires at ${instant(approval.expires_at_ms)} (${left(approval.expires_at_ms - now_ms)}), then it is denied.</p>
${facts.length === 0 ? '' : `<ul class="facts">${facts.map((fact) => `<li>${readableHtml(fact)}</li>`).join('\n')}</ul>`}
${approvalButtons(approval, decider, question, face_approvals).join('\n')}`,
  )
}

const NEEDS_FACE =
  '<p>To approve this, verify yourself with your face in the app of your organisation. You can deny it here.</p>'

/** Approvers approve once. The person that the agent acts for can always deny. */
function approvalButtons(
  approval: StoredApproval,
  decider: Decider,
  about: string,
  face_approvals: FaceApprovalRule | undefined,
): string[] {
  const { approvers, endorsements } = approval
  const params = { id: approval.approval_id }
  const approve = (label: string, done: string, body: object, look?: 'plain') =>
    button([{ operation: 'approve', params, body: { ...body } }], {
      label,
      about,
      done,
      ...(look && { look }),
    })
  const deny = button([{ operation: 'deny', params, body: {} }], {
    label: 'Deny',
    about,
    done: 'Denied.',
    look: 'plain',
  })
  if (face_approvals !== undefined && needsFace(face_approvals, approval)) return [NEEDS_FACE, deny]
  if (approvers.length === 0) {
    const { label, grant } = suggestedGrant(approval)
    const approveMore = approve(label, 'Approved for 30 minutes.', { grant }, 'plain')
    return [approve('Approve', 'Approved.', {}), deny, approveMore]
  }
  if (endorsements.some(({ by }) => decider.refs.includes(by))) return ['<p>You approved this.</p>', deny]
  if (approverRef(approvers, decider) === undefined) return ['<p>Other people approve this.</p>', deny]
  return [approve('Approve', 'Approved.', {}), deny]
}

/** Half an hour, and five times the amount if the request costs something. */
function suggestedGrant({ spend_micro_usd }: StoredApproval) {
  const max_spend_usd = toUsd(5 * spend_micro_usd)
  if (spend_micro_usd === 0) return { label: 'Approve for 30 minutes', grant: { minutes: 30 } }
  return {
    label: `Approve for 30 minutes, up to $${max_spend_usd}`,
    grant: { minutes: 30, max_spend_usd },
  }
}

function grantCard({ agent_id, action, resource, grant }: HabitKey & Habit, now_ms: number): string {
  if (grant === undefined) return ''
  const { approval_id, expires_at_ms, max_spend_micro_usd, spent_micro_usd, uses } = grant
  const allowed = `${shownAgent(agent_id)} may ${action} ${resource} without asking`
  const spent =
    max_spend_micro_usd === 0 ? '' : `, $${toUsd(spent_micro_usd)} of $${toUsd(max_spend_micro_usd)} used`
  return card(
    allowed,
    `<p class="dim">Until ${instant(expires_at_ms)} (${left(expires_at_ms - now_ms)}), ${counted(uses, 'time')} so far${spent}.</p>
${button([{ operation: 'endGrant', body: { approval_id } }], {
  label: 'Ask me again',
  about: allowed,
  done: 'You will be asked again.',
  look: 'plain',
})}`,
  )
}

function recordsSection(records: readonly StoredRecord[]): string {
  if (records.length === 0) return '<p>No agent has acted for you yet.</p>'
  return `<p class="dim">A rating is final. It counts towards the agent's reputation.</p>
<ul class="cards">${records.map(recordCard).join('\n')}</ul>`
}

function recordCard(record: StoredRecord): string {
  const { aar_id, agent_id, action, resource, state, result, spend_micro_usd, created_at_ms, rating } = record
  const did = `${shownAgent(agent_id)} ${action} ${resource}`
  const spend = spend_micro_usd === 0 ? '' : `, $${toUsd(spend_micro_usd)}`
  return card(
    `${did}${spend}`,
    `<p class="dim">${instant(created_at_ms)}, ${readableHtml(result ?? state)}</p>
${rating === undefined ? RATING_BUTTONS.map((one) => ratingButton(aar_id, did, one)).join('\n') : `<p>${ratingSentence(rating.rating)}</p>`}`,
  )
}

const RATING_BUTTONS = [
  { label: 'Good', rating: 'approved', look: undefined },
  { label: 'Problem', rating: 'flagged', look: 'plain' },
  { label: 'Bad', rating: 'rejected', look: 'plain' },
] as const

function ratingSentence(given: string): string {
  const label = RATING_BUTTONS.find(({ rating }) => rating === given)?.label ?? given
  return `You rated this: ${label.toLowerCase()}.`
}

function ratingButton(
  aar_id: string,
  did: string,
  { label, rating, look }: (typeof RATING_BUTTONS)[number],
): string {
  return button([{ operation: 'rateRecord', params: { id: aar_id }, body: { rating } }], {
    label,
    about: did,
    done: ratingSentence(rating),
    ...(look !== undefined && { look }),
  })
}

function passkeysSection(passkeys: readonly Passkey[]): string {
  const cards = passkeys.map(passkeyCard).join('\n')
  return `${passkeys.length === 0 ? '<p>You have no passkeys yet. With a passkey you can sign in with your device and confirm sensitive actions.</p>' : `<ul class="cards">${cards}</ul>`}
<p><label for="passkey-name">Name of the new passkey</label>
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
  const kept = backed_up ? 'synced' : 'on one device'
  return card(
    name,
    `<p class="dim">Added ${instant(Date.parse(created_at))}, ${used}, ${kept}</p>
${suspected_clone ? '<p>This passkey may have been copied and no longer works. Remove it and add a new one.</p>' : ''}
${button([{ operation: 'deletePasskey', params: { id: passkey_id } }], {
  label: 'Remove',
  about: `the passkey ${name}`,
  done: 'Passkey removed.',
  look: 'plain',
  question: `Remove the passkey "${name}"? This also signs you out on your other devices.`,
  reload: true,
})}`,
  )
}

/** It says the same with and without a sign of coercion. */
function biometricsSection({ enrolment, duress_words }: PersonOverview, { human_ref }: HumanCaller): string {
  if (!enrolment.enrolled)
    return `<p>You are not enrolled. No data about your face or voice is stored.</p>
<p class="dim">Enrolling takes about a minute, with your camera and microphone. You read what is stored before it starts, and you can use your phone.</p>
<button type="button" id="biometrics-enroll">Enroll</button>`
  const { enrolled_at, replaced_at, retention_until, has_voice, consent } = enrolment
  const again = replaced_at === undefined ? '' : ` Last replaced ${instant(Date.parse(replaced_at))}.`
  const path = pathOf(OPERATIONS.exportBiometrics.path, { human_ref })
  return `<p>Enrolled since ${instant(Date.parse(enrolled_at))}.${again} A template of your face${has_voice ? ' and voice' : ''} is stored, encrypted, until ${instant(Date.parse(retention_until))}. Pictures and recordings are never stored.</p>
<p class="dim">You accepted version ${readableHtml(consent.version)} of the consent text on ${instant(Date.parse(consent.accepted_at))}.</p>
<button type="button" class="plain" id="biometrics-enroll">Enroll again</button>
<button type="button" class="plain" id="biometrics-export" data-path="${escapeHtml(path)}" data-human-ref="${escapeHtml(human_ref)}">Export your data</button>
${button([{ operation: 'deleteBiometrics', params: { human_ref } }], {
  label: 'Delete your template',
  about: 'of your face and voice',
  done: 'Template deleted.',
  look: 'bad',
  question:
    'Delete your template? Agents that act because you were verified with your face stop at once. You can enroll again later.',
  reload: true,
})}
${signForm(duress_words)}`
}

const SIGN_GESTURES = {
  thumbs_up: 'Thumbs up',
  victory: 'Victory',
  open_palm: 'Open palm',
  point_up: 'Point up',
} as const

/** Always empty: nobody who looks at the page learns whether there is a sign. */
function signForm(words: readonly string[]): string {
  const choices = (entries: readonly (readonly [string, string])[]) =>
    [['', 'None'] as const, ...entries]
      .map(([value, label]) => `<option value="${escapeHtml(value)}">${readableHtml(label)}</option>`)
      .join('')
  return `<details class="card"><summary>Sign of coercion</summary>
<p>If you are forced to verify, a sign that you choose here tells people who can help. The verification looks like any other. Say the word after the digits, or show the gesture besides the one that is asked for.</p>
<p class="dim">A sign is never shown again. Saving replaces the one before, if there was one. Both buttons need your passkey and answer the same.</p>
<label for="sign-word">Word</label><select id="sign-word">${choices(words.map((word) => [word, word]))}</select>
<label for="sign-gesture">Gesture</label><select id="sign-gesture">${choices(Object.entries(SIGN_GESTURES))}</select>
<label for="sign-contacts">Whom to tell, one on each line</label><textarea id="sign-contacts" rows="3" autocomplete="off" spellcheck="false"></textarea>
<button type="button" id="sign-save">Save the sign</button>
<button type="button" class="plain" id="sign-remove">Remove the sign</button></details>`
}

function sessionsSection(sessions: readonly Session[], { session_key }: HumanCaller): string {
  const cards = sessions.map((session) => {
    const title = session.session_key === session_key ? 'This device' : 'Another device'
    return card(
      title,
      `<p class="dim">Signed in ${instant(session.started_at_ms)} with ${readableHtml(methodsOf(session.amr))}. Expires at ${instant(session.expires_at_ms)} if unused.</p>`,
    )
  })
  return `<ul class="cards">${cards.join('\n')}</ul>
${button([{ operation: 'logOut', body: {} }], { label: 'Sign out', about: '', done: 'Signed out.', look: 'plain', reload: true })}
${button([{ operation: 'logOut', body: { everywhere: true } }], {
  label: 'Sign out everywhere',
  about: '',
  done: 'Signed out everywhere.',
  look: 'plain',
  reload: true,
})}`
}

function card(title: string, body: string): string {
  return `<li class="card"><h3>${readableHtml(title)}</h3>\n${body}</li>`
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
    `data-done="${readableHtml(done)}"`,
    ...(question === undefined ? [] : [`data-question="${readableHtml(question)}"`]),
    ...(reload === undefined ? [] : ['data-reload']),
  ]
  const hidden = about === '' ? '' : `<span class="hidden"> ${readableHtml(about)}</span>`
  return `<button type="button"${look === undefined ? '' : ` class="${look}"`} ${data.join(' ')}>${label}${hidden}</button>`
}

function pathOf(path: string, params: PageAction['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params?.[name] ?? ''))
}

function term(name: string, value: string): string {
  return `<dt>${readableHtml(name)}</dt><dd>${readableHtml(value)}</dd>`
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

/** Authentication methods (RFC 8176) in plain words. Others are shown as they are. */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  hwk: 'device-bound passkey',
  swk: 'passkey',
  otp: 'one-time code',
  mfa: 'multiple factors',
  user: 'user presence',
}

function methodsOf(amr: readonly string[]): string {
  return amr.length === 0 ? 'single sign-on' : amr.map((one) => METHODS[one] ?? one).join(', ')
}
