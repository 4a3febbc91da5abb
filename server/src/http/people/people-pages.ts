/** The pages for people: sign-in, and the overview of their agents. */
import { readFileSync } from 'node:fs'
import { DEFAULT_TENANT } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HumanCaller } from '../../access/caller.ts'
import { notificationsAnswer } from '../../operations/channels/notifications-answer.ts'
import { openSessionsOf } from '../../operations/identity/open-sessions.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { personOverview } from '../../operations/people/person-overview.ts'
import { openQuestion } from '../../operations/questions/open-question.ts'
import { isOwnPath } from '../../operations/verification/sign-in/own-path.ts'
import { APP_MANIFEST, ICON, ICON_PNGS } from '../pages/installable.ts'
import { queryOf, sendPage } from '../pages/page-answers.ts'
import { signedInAs } from './me-account.ts'
import { mePage } from './me-page.ts'
import { forwardPage, noQuestionPage, questionPage } from './question-page.ts'
import { signInOffPage, signInPage } from './sign-in-page.ts'

/** The script of both pages, built by `node web/build.ts`. */
const SCRIPT = readFileSync(new URL('../../../../web/dist/people.js', import.meta.url), 'utf8')

/** The service worker, built by the same command. */
const PUSH_WORKER = readFileSync(new URL('../../../../web/dist/push-worker.js', import.meta.url), 'utf8')

export const PEOPLE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function addPeoplePages(
  app: FastifyInstance,
  { context }: { readonly context: OperationContext },
): void {
  // People stop their agents on these pages, so no quota of the tenant or the address keeps them out.
  const forPeople = { config: { visit: true } }
  app.get('/people.js', { config: { lane: 'stop' } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=3600').send(SCRIPT),
  )

  // `no-cache`, because browsers check for a new worker at every visit.
  app.get('/push-worker.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(PUSH_WORKER),
  )
  app.get('/manifest.webmanifest', async (_request, reply) =>
    reply
      .type('application/manifest+json')
      .header('cache-control', 'public, max-age=3600')
      .send(APP_MANIFEST),
  )
  app.get('/icon.svg', async (_request, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(ICON),
  )
  for (const { path, bytes } of ICON_PNGS)
    app.get(path, async (_request, reply) =>
      reply.type('image/png').header('cache-control', 'public, max-age=3600').send(bytes),
    )

  app.get('/sign-in', async (request, reply) => {
    const query = queryOf(request)
    const tenant_id = query.get('tenant') ?? DEFAULT_TENANT
    const wanted = query.get('return_to')
    const has_passkeys = context.accessControl.keyed !== undefined
    const providers = context.verification.signIn.providers
      .filter((provider) => provider.tenant_id === tenant_id)
      .map(({ name }) => name)
    if (!has_passkeys && providers.length === 0) return sendPage(reply, signInOffPage(), PEOPLE_CSP)
    const page = signInPage({
      providers,
      return_to: wanted !== null && isOwnPath(wanted) ? wanted : '/me',
      isFresh: query.get('fresh') === '1',
      has_passkeys,
    })
    return sendPage(reply, page, PEOPLE_CSP)
  })

  app.get('/me', forPeople, async (request, reply) => {
    const { caller } = request
    if (context.accessControl.keyed === undefined) return sendPage(reply, signInOffPage(), PEOPLE_CSP)
    if (caller.role !== 'human') return sendToSignIn('/me', request, reply)
    const overview = await personOverview(caller, context)
    return sendPage(reply, mePage(caller, overview), PEOPLE_CSP)
  })

  app.get<{ Params: { approval_id: string } }>('/approve/:approval_id', forPeople, (request, reply) =>
    sendQuestion(request, reply, context),
  )
}

/**
 * Leads through the sign-in of the tenant in the query and back. A link on another site arrives without the session, so
 * a page of this service first sends the browser to the same address again.
 */
function sendToSignIn(path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const tenant = queryOf(request).get('tenant')
  const of = tenant === null ? '' : `tenant=${encodeURIComponent(tenant)}`
  if (request.headers['sec-fetch-site'] === 'cross-site')
    return sendPage(reply, forwardPage(of === '' ? path : `${path}?${of}`), PEOPLE_CSP)
  const back = path === '/me' ? path : encodeURIComponent(path)
  return reply.redirect(`/sign-in?return_to=${back}${of === '' ? '' : `&${of}`}`, 303)
}

/** Sends the page of one question. Its URL isn't a credential: without a session it leads to the sign-in. */
async function sendQuestion(
  request: FastifyRequest<{ Params: { approval_id: string } }>,
  reply: FastifyReply,
  context: OperationContext,
): Promise<FastifyReply> {
  if (context.accessControl.keyed === undefined)
    return sendPage(reply, signInOffPage(request.params.approval_id), PEOPLE_CSP)
  const { caller: person } = request
  const path = `/approve/${encodeURIComponent(request.params.approval_id)}`
  if (person.role !== 'human') return sendToSignIn(path, request, reply)
  const log_size = await context.events.feed.size() // before anything is read, so that the script misses no change
  const open = await openQuestion(request.params.approval_id, person, context)
  if (open === undefined) return sendPage(reply.code(404), noQuestionPage(), PEOPLE_CSP)
  const account = await accountOf(person, context)
  return sendPage(
    reply,
    questionPage(person, { open, account, log_size, now_ms: context.clock() }),
    PEOPLE_CSP,
  )
}

async function accountOf(person: HumanCaller, context: OperationContext): Promise<string> {
  const { tenant_id, human_ref, human_refs } = person
  return signedInAs(person, {
    notifications: await notificationsAnswer({ tenant_id, owner: human_ref }, context),
    sessions: await openSessionsOf(human_refs, context),
  })
}
