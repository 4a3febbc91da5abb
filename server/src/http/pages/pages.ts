import { readFileSync } from 'node:fs'
import { AuthorityError, DEFAULT_TENANT, OPERATIONS, openIssuerPath } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import { authorizationServer } from '../../operations/deployment/get-authorization-server.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { addGuidePages } from '../guides/guide-pages.ts'
import type { Metrics } from '../metrics.ts'
import { referencePage, referenceScript } from './api-reference.ts'
import { homeText } from './html.ts'
import { sendPage, wantsHtml } from './page-answers.ts'
import { addProblemPages } from './problem-pages.ts'
import { VERIFY_CSP, VERIFY_SCRIPT, verifyPage } from './verify-page.ts'

const CSP =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const DOCS_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
const DOCS_INIT = readFileSync(new URL('./api-reference-init.js', import.meta.url), 'utf8')

export interface PageOptions {
  readonly context: OperationContext
  readonly metrics: Metrics
}

/** Adds the root address, the API reference, metrics and the help pages of error codes. */
export function addPages(app: FastifyInstance, { context, metrics }: PageOptions): void {
  // The document with its examples is a large module that only this page needs.
  const openapi = once(async () => {
    const { openApiDocument } = await import('@deputize/protocol/openapi')
    return JSON.stringify(openApiDocument(context.node.version))
  })

  app.get('/', async (request, reply) => {
    reply.header('vary', 'Accept')
    if (wantsHtml(request)) return reply.header('cache-control', 'no-store').redirect('/app', 303)
    const address = context.access === 'open' ? `http://${request.host}` : context.public_url()
    return reply
      .type('text/plain; charset=utf-8')
      .send(homeText(context.node.version, context.access, address))
  })
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(await openapi()),
  )
  if (context.access === 'open') addIssuerMetadata(app, context)
  app.get('/metrics', { config: { guarded: true } }, async ({ caller }, reply) => {
    assertMayReadMetrics(caller)
    return reply.type(metrics.content_type).send(await metrics.text())
  })
  addProblemPages(app)
  addGuidePages(app)
  app.get('/favicon.ico', async (_request, reply) => reply.code(204).send())
  app.get('/verify', async (_request, reply) => html(reply, verifyPage(context.access), VERIFY_CSP))
  app.get('/verify.js', async (_request, reply) => script(reply, VERIFY_SCRIPT))

  app.get('/docs', async (_request, reply) => html(reply, referencePage(), DOCS_CSP))
  app.get('/docs/init.js', async (_request, reply) => script(reply, DOCS_INIT))
  app.get('/docs/reference.js', async (_request, reply) => script(reply, await referenceScript()))
}

/** Serves the metadata of an issuer with a path at the well-known path followed by that path (RFC 8414 section 3.1). */
function addIssuerMetadata(app: FastifyInstance, context: OperationContext): void {
  const { path, cache_control } = OPERATIONS.getAuthorizationServer
  app.get(`${path}${openIssuerPath(context.keys.instance)}`, async ({ host }, reply) =>
    reply.header('cache-control', cache_control).send(authorizationServer(`http://${host}`, context)),
  )
}

/** Metrics cover the whole deployment, so only its operators and auditors may read them. */
function assertMayReadMetrics({ role, tenant_id }: Caller): void {
  if (role === 'local') return
  if (role === 'public') throw new AuthorityError('credential_required')
  const isAllowed = (role === 'operator' || role === 'auditor') && tenant_id === DEFAULT_TENANT
  if (!isAllowed)
    throw new AuthorityError(
      'role_not_allowed',
      `Metrics require the credential of an operator or auditor of the tenant "${DEFAULT_TENANT}".`,
    )
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function html(reply: FastifyReply, text: string, csp = CSP): FastifyReply {
  return sendPage(reply, text, csp)
}

function script(reply: FastifyReply, text: string | Buffer): FastifyReply {
  return reply
    .type('text/javascript; charset=utf-8')
    .header('cache-control', 'public, max-age=3600')
    .send(text)
}
