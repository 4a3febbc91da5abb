/** Errors for people with a browser: the list of codes, a help page for each, and the answer to a failed request. */
import {
  AuthorityError,
  ERRORS,
  type ErrorCode,
  OPERATIONS,
  type Operation,
  visibleText,
} from '@deputize/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ProblemBody, problemBody } from '../../domain/problem.ts'
import { EXPLAINED_ERRORS, type ExplainedCode, isExplainedCode } from '../problem.ts'
import { escapeHtml, page, readableHtml } from './html.ts'
import { queryOf, sendPage } from './page-answers.ts'

const CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const PROBLEM_STYLE = `
h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; }
form { display: flex; gap: .6rem; margin: 1.2rem 0; } label { align-self: center; }
input { font: inherit; color: var(--ink); background: none; border: 2px solid var(--dim); border-radius: 6px; padding: .4rem .7rem; flex: 1; min-width: 0; }
button, a.button { font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 2px solid var(--accent); border-radius: 6px; padding: .4rem 1rem; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
ul.codes { list-style: none; margin: 0; padding: 0; } ul.codes li { padding: .5rem 0; border-top: 1px solid var(--line); }
ul.codes span { color: var(--dim); display: block; } dd, p { overflow-wrap: anywhere; }
`

export function addProblemPages(app: FastifyInstance): void {
  app.get('/problems', async (request, reply) =>
    sendPage(reply, listPage(queryOf(request).get('q') ?? ''), CSP),
  )
  app.get<{ Params: { code: string } }>('/problems/:code', async ({ params }, reply) => {
    if (!isExplainedCode(params.code)) throw new AuthorityError('not_found')
    return sendPage(reply, await codePage(params.code), CSP)
  })
}

const CODES = Object.keys(EXPLAINED_ERRORS) as ExplainedCode[] // the keys of the table

/** Returns the list of codes. The search runs in the service, so that the page needs no script. */
function listPage(wanted: string): string {
  const words = wanted.toLowerCase().split(/\s+/).slice(0, 10)
  const found = CODES.filter((code) => words.every((word) => searchTextOf(code).includes(word)))
  const items = found.map((code) => {
    const { title, status } = EXPLAINED_ERRORS[code]
    return `<li><a href="/problems/${code}">${escapeHtml(title)}</a><span><code>${code}</code> · HTTP ${status}</span></li>`
  })
  const none = `<p>No error matches. <a href="/problems">Show all ${CODES.length}</a>.</p>`
  return page(
    'Errors',
    `<style>${PROBLEM_STYLE}</style>
<p class="lead">Every error that the service returns, with its cause and what to do.</p>
<form role="search" action="/problems" method="get"><label for="q">Search</label>
<input id="q" name="q" type="search" maxlength="100" value="${escapeHtml(wanted.slice(0, 100))}"><button>Search</button></form>
${items.length === 0 ? none : `<ul class="codes">${items.join('')}</ul>`}`,
  )
}

function searchTextOf(code: ExplainedCode): string {
  const { title, help, status } = EXPLAINED_ERRORS[code]
  return `${code} ${title} ${help} ${status}`.toLowerCase()
}

/** Returns the page that the `type` of a problem links to. */
async function codePage(code: ExplainedCode): Promise<string> {
  const { status, title, help } = EXPLAINED_ERRORS[code]
  return page(
    title,
    `<style>${PROBLEM_STYLE}</style>
<p class="lead">${proseHtml(help)}</p>
<dl><dt>Code</dt><dd><code>${code}</code></dd><dt>HTTP status</dt><dd>${status}</dd></dl>
${code in ERRORS ? await exampleOf(code as ErrorCode) : ''}
<p><a href="/problems">All errors</a> · <a href="/guides?q=${code.replaceAll('_', '+')}">Guides about this</a></p>`,
  )
}

/** Escapes a text in which names are marked with backticks. */
function proseHtml(text: string): string {
  return readableHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

/** Returns a call that can get this error, and the answer. The examples are a large module, loaded on demand. */
async function exampleOf(code: ErrorCode): Promise<string> {
  const rows = Object.entries<Operation>(OPERATIONS)
  const given = rows.filter(([, { errors }]) => errors.includes(code))
  const [id, row] = given[0] ?? rows.find(([one]) => one === 'issueL1') ?? []
  if (id === undefined || row === undefined) return ''
  const { EXAMPLES } = await import('@deputize/protocol/examples')
  const { params, body } = EXAMPLES[id] ?? {}
  const named = { ...Object(params) } as Readonly<Record<string, string>> // examples are recorded from valid calls
  const path = row.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(named[name] ?? name))
  const sent =
    body === undefined ? '' : `\nContent-Type: application/json\n\n${JSON.stringify(body, undefined, 2)}`
  const answer = { ...problemBody(new AuthorityError(code)), request_id: 'req_…' }
  return `<h2>Example</h2>
<p>${escapeHtml(row.summary)}:</p>
<pre>${escapeHtml(`${row.method} ${path}${sent}`)}</pre>
<p>The answer:</p>
<pre>${escapeHtml(`HTTP ${answer.status}\nContent-Type: application/problem+json\n\n${JSON.stringify(answer, undefined, 2)}`)}</pre>
${given.length === 0 ? '<p>Any call can return this error.</p>' : `<h2>Operations with this error</h2><p>${given.map(([one]) => `<code>${one}</code>`).join(', ')}. The <a href="/docs">API reference</a> describes them.</p>`}`
}

/** Answers a failed request from a browser. Text from the caller is shown as text, never as markup. */
export function sendProblemPage(
  problem: ProblemBody & { readonly request_id: string },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, code, title, detail, request_id } = problem
  const text = page(
    status === 404 ? 'Page not found' : title,
    `<style>${PROBLEM_STYLE}</style>
<p class="lead">${proseHtml(code === 'not_found' ? missingPage(request) : detail)}</p>
<p>${wayOut(status, request)}</p>
<dl><dt>Error</dt><dd><a href="/problems/${escapeHtml(code)}"><code>${escapeHtml(code)}</code></a></dd>
<dt>HTTP status</dt><dd>${status}</dd><dt>Request</dt><dd><code>${readableHtml(request_id)}</code></dd></dl>`,
  )
  return sendPage(reply.code(status), text, CSP)
}

/** Describes a missing page, because a person looks for a page, not for an operation. */
function missingPage({ url }: FastifyRequest): string {
  return `There is no page at ${visibleText(url.split('?')[0] ?? '/')}. Check the address, or start from the dashboard.`
}

function wayOut(status: number, { url }: FastifyRequest): string {
  const path = visibleText(url.split('?')[0] ?? '/')
  if (status === 401)
    return `<a class="button" href="/sign-in?return_to=${encodeURIComponent(path)}">Sign in</a>`
  if (status === 429 || status === 503) return 'Wait a moment, then reload this page.'
  return '<a class="button" href="/app">Go to the dashboard</a></p><p>Or read the <a href="/guides">guides</a>.'
}
