/** The pages of a sign-in with a provider: its start, the callback, and the confirmation. */
import { AuthorityError, type Constraints, ERRORS } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { SESSION_MOST_MS } from '../../access/session-entries.ts'
import { constraintSentences, durationText, hasBudget } from '../../domain/approvals/authority-words.ts'
import { consentedLifetime } from '../../domain/tokens/consent.ts'
import { heldKey } from '../../operations/identity/held-key.ts'
import type { LoginRequest } from '../../operations/identity/logins.ts'
import { type ProvenPerson, sessionPerson } from '../../operations/identity/proven-person.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import {
  beginBrowserLogin,
  confirmLogin,
  finishLogin,
  type LoginCallback,
} from '../../operations/verification/sign-in/login-flow.ts'
import { readCookie, SESSION_COOKIE, setCookie } from '../guard/cookies.ts'
import { escapeHtml, page, readableHtml } from '../pages/html.ts'
import { queryOf, sendPage } from '../pages/page-answers.ts'

export const CALLBACK_PATH = '/v1/vat/auth/oidc/callback'
const CONFIRM_PATH = '/v1/vat/auth/oidc/confirm'
/** Binds a sign-in to the browser that began it. */
const LOGIN_COOKIE = 'deputy_login'
const LOGIN_MAX_AGE_S = 600

const CSP =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const BUTTONS = `
dd, li { overflow-wrap: anywhere; }
.warning { border: 2px solid #b3261e; border-radius: 6px; padding: .6rem 1rem; }
button { font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 1px solid var(--accent); border-radius: 6px; padding: .6rem 1.1rem; margin: .6rem .6rem 0 0; cursor: pointer; }
button.plain { color: var(--ink); background: none; border-color: var(--line); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
`

export interface SignInPagesOptions {
  readonly context: OperationContext
}

export function addSignInPages(app: FastifyInstance, { context }: SignInPagesOptions): void {
  const isSecure = () => context.public_url().startsWith('https:')
  const people = context.accessControl.sessions

  app.get<{ Params: { provider: string } }>('/sign-in/:provider', (request, reply) =>
    forPeople(reply, async () => {
      const query = queryOf(request)
      const { authorization_url, browser } = await beginBrowserLogin(
        request.params.provider,
        { return_to: query.get('return_to') ?? undefined, isFresh: query.get('fresh') === '1' },
        context,
      )
      const cookie = {
        name: LOGIN_COOKIE,
        value: browser,
        max_age_s: LOGIN_MAX_AGE_S,
        same_site: 'Lax',
      } as const
      return reply
        .headers({ 'set-cookie': setCookie(cookie, isSecure()), 'cache-control': 'no-store' })
        .redirect(authorization_url, 303)
    }),
  )

  app.get(CALLBACK_PATH, (request, reply) =>
    forPeople(reply, async () => {
      const browser = readCookie(request.headers.cookie, LOGIN_COOKIE, isSecure())
      const callback = await finishLogin(queryOf(request), browser, context)
      return callback.kind === 'to_confirm'
        ? sendSignInPage(reply, confirmPage(callback))
        : welcome(callback.person, callback.return_to, reply)
    }),
  )

  /** Opens a session with the role of the person's groups on the way to the dashboard, or else as a person. */
  async function openSession(
    person: ProvenPerson,
    return_to: string | undefined,
  ): Promise<{ readonly secret: string }> {
    const isForDashboard = /^\/app(?:[/?#]|$)/.test(return_to ?? '')
    if (!isForDashboard || person.staff_role === undefined)
      return people.create(await sessionPerson(person, context))
    return context.accessControl.keySessions.create(await heldKey(person, person.staff_role, context))
  }

  /** Browsers withhold a Strict cookie after a redirect from another site, so a page forwards the browser. */
  async function welcome(
    person: ProvenPerson,
    return_to: string | undefined,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { secret } = await openSession(person, return_to)
    const max_age_s = SESSION_MOST_MS / 1000
    const session = { name: SESSION_COOKIE, value: secret, max_age_s, same_site: 'Strict' } as const
    const login = { name: LOGIN_COOKIE, value: '', max_age_s: 0, same_site: 'Lax' } as const
    reply.header('set-cookie', [setCookie(session, isSecure()), setCookie(login, isSecure())])
    return sendSignInPage(reply, donePage('You are signed in', return_to ?? '/'))
  }

  app.post(CONFIRM_PATH, { config: { form: true } }, (request, reply) =>
    forPeople(reply, async () => {
      const { confirmation = '', decision } = { ...(request.body as Record<string, string>) } // a form has texts only
      const { return_to } = await confirmLogin(confirmation, decision === 'yes', context)
      return sendSignInPage(reply, donePage('Confirmed', return_to))
    }),
  )
}

/** Sends a page whose URL holds a code that no other site may learn, so the referrer goes to this origin only. */
function sendSignInPage(reply: FastifyReply, text: string): FastifyReply {
  return sendPage(reply, text, CSP, 'same-origin')
}

/** Answers refusals with a page instead of JSON. */
async function forPeople(reply: FastifyReply, act: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error
    const { status, title } = ERRORS[error.code]
    if (status === 503) reply.header('retry-after', '1')
    return sendSignInPage(reply.code(status), refusalPage(title, error))
  }
}

function refusalPage(title: string, { code, message, members }: AuthorityError): string {
  const reason = typeof members.reason === 'string' ? members.reason : undefined
  return page(
    title,
    `<p class="lead">${readableHtml(message)}</p>
<dl><dt>Code</dt><dd><a href="/problems/${code}"><code>${code}</code></a></dd>
${reason === undefined ? '' : `<dt>Reason</dt><dd><code>${readableHtml(reason)}</code></dd>`}</dl>
<p>Nothing was shared. Close this page, or <a href="/sign-in">choose another way to sign in</a>.</p>`,
    'people',
  )
}

function donePage(title: string, return_to: string | undefined): string {
  if (return_to === undefined) return page(title, '<p class="lead">You can close this page.</p>', 'people')
  const path = escapeHtml(return_to)
  return page(
    title,
    `<meta http-equiv="refresh" content="0;url=${path}"><p class="lead"><a href="${path}">Continue</a></p>`,
    'people',
  )
}

function confirmPage({
  request,
  confirmation,
  email,
}: Extract<LoginCallback, { kind: 'to_confirm' }>): string {
  return page(
    'Did you request this?',
    `<style>${BUTTONS}</style>
<p class="lead">A program is asking for permission to act for you. Confirm only if you started this yourself.</p>
<dl>
${term('Signed in as', email ?? 'no email address given')}
${term('Requested by', request.started_by)}
${term('Tenant', request.tenant_id)}
${term('Agent', request.agent_id ?? 'any (not specified)')}
${term('Resources', scopeList(request.resources))}
${term('Actions', scopeList(request.actions))}
${term('Purpose', request.purpose ?? 'not specified')}
${term('Ends', `${durationText(consentedLifetime(request))} after the program gets its token`)}
</dl>
${limitsOf(request.constraints ?? {})}
<form method="post" action="${CONFIRM_PATH}">
<input type="hidden" name="confirmation" value="${escapeHtml(confirmation)}">
<p><button name="decision" value="yes">Yes, I requested this</button>
<button class="plain" name="decision" value="no">No</button></p>
</form>`,
    'people',
  )
}

/** Returns every limit of the token, and a warning if it has no budget. */
function limitsOf(constraints: Constraints): string {
  const sentences = constraintSentences(constraints).map((sentence) => `<li>${readableHtml(sentence)}</li>`)
  return `${sentences.length === 0 ? '' : `<p>Limits:</p><ul id="limits">${sentences.join('')}</ul>`}
${hasBudget(constraints) ? '' : '<p id="no-budget" class="warning" role="note"><strong>No budget.</strong> The agent can spend any amount for you until it ends. If you did not expect that, choose No.</p>'}`
}

function term(name: string, value: string): string {
  return `<dt>${readableHtml(name)}</dt><dd>${readableHtml(value)}</dd>`
}

/** Shows every entry, because people confirm only what they see. */
function scopeList(entries: LoginRequest['resources']): string {
  return entries?.join(', ') ?? 'any that the program requests later (not specified)'
}
