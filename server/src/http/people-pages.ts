/** The pages for people: sign-in, and the overview of their agents. */
import { readFileSync } from 'node:fs'
import { DEFAULT_TENANT } from '@deputize/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HumanCaller } from '../access/caller.ts'
import { CredentialRefused } from '../access/credential-refused.ts'
import type { OperationContext } from '../operations/operation-context.ts'
import { personOverview } from '../operations/people/person-overview.ts'
import { isOwnPath } from '../operations/verification/own-path.ts'
import { readCookie, SESSION_COOKIE } from './cookies.ts'
import { mePage } from './me-page.ts'
import { queryOf, sendPage } from './page-answers.ts'
import { signInOffPage, signInPage } from './sign-in-page.ts'

/** The script of both pages, built by `node web/build.ts`. */
const SCRIPT = readFileSync(new URL('../../../web/dist/people.js', import.meta.url), 'utf8')

export const PEOPLE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function addPeoplePages(
  app: FastifyInstance,
  { context }: { readonly context: OperationContext },
): void {
  // People stop their agents on this page, so no quota applies to it.
  const lane = 'stop'
  app.get('/people.js', { config: { lane } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=3600').send(SCRIPT),
  )

  app.get('/sign-in', async (request, reply) => {
    const query = queryOf(request)
    const tenant_id = query.get('tenant') ?? DEFAULT_TENANT
    const wanted = query.get('return_to')
    const page = signInPage({
      providers: context.signIn.providers
        .filter((provider) => provider.tenant_id === tenant_id)
        .map(({ name }) => name),
      return_to: wanted !== null && isOwnPath(wanted) ? wanted : '/me',
      isFresh: query.get('fresh') === '1',
      has_passkeys: context.accessControl.keyed !== undefined,
    })
    return sendPage(reply, page, PEOPLE_CSP)
  })

  app.get('/me', { config: { lane } }, async (request, reply) => {
    if (context.accessControl.keyed === undefined) return sendPage(reply, signInOffPage(), PEOPLE_CSP)
    const person = await personOf(request, context)
    if (person === undefined) return reply.redirect('/sign-in?return_to=/me', 303)
    const overview = await personOverview(person, context)
    return sendPage(reply, mePage(person, overview, context.clock()), PEOPLE_CSP)
  })
}

/** Undefined without a valid session. The browser is then sent to the sign-in page. */
async function personOf(
  { method, url, headers }: FastifyRequest,
  { accessControl, public_url }: OperationContext,
): Promise<HumanCaller | undefined> {
  const session = readCookie(headers.cookie, SESSION_COOKIE, public_url().startsWith('https:'))
  if (session === undefined) return undefined
  const nothing = { authorization: undefined, proof: undefined, presented_token: undefined, grant: undefined }
  const caller = await accessControl.keyed
    ?.identify({ method, target: url, session, ...nothing })
    .catch((error: unknown) => {
      if (error instanceof CredentialRefused) return undefined
      throw error
    })
  return caller?.role === 'human' ? caller : undefined
}
