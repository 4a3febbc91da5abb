/** The sandbox verification provider, if configured: its API, and the page on which a person chooses the result. */
import { AuthorityError } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  assertSandbox,
  assertSandboxKey,
  createSandboxCheck,
  decideSandboxCheck,
  deleteSandboxCheck,
  findSandboxCheck,
  type NewSandboxCheck,
  SANDBOX_ROUTE,
  type SandboxCheck,
} from '../../operations/external/sandbox-desk.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { escapeHtml, page, readableHtml } from './html.ts'
import { sendPage } from './page-answers.ts'

const CSP =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

type SandboxStatus = SandboxCheck['status']

const CHOICES: readonly (readonly [SandboxStatus, string])[] = [
  ['passed', 'Pass'],
  ['failed', 'Fail'],
  ['in_review', 'Needs review'],
  ['expired', 'Expire'],
]

const STATUS_WORDS: Readonly<Record<SandboxStatus, string>> = {
  waiting: 'Waiting for your choice',
  passed: 'Passed',
  failed: 'Failed',
  in_review: 'In review',
  expired: 'Expired',
  taken_back: 'Taken back',
}

const STYLE = `
.warning { border: 2px solid #b3261e; border-radius: 6px; padding: .6rem 1rem; }
button { font: inherit; font-weight: 600; color: var(--ink); background: none; border: 1px solid var(--line); border-radius: 6px; padding: .6rem 1.1rem; margin: .6rem .6rem 0 0; cursor: pointer; }
button:first-of-type { color: var(--paper); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
`

export interface SandboxPagesOptions {
  readonly context: OperationContext
}

export function addSandboxPages(app: FastifyInstance, { context }: SandboxPagesOptions): void {
  if (!context.external.providers.list.some(({ kind }) => kind === 'sandbox')) return
  const sessions = `${SANDBOX_ROUTE}/:name/sessions`

  app.post<{ Params: { name: string } }>(sessions, async ({ params, headers, body }, reply) => {
    assertSandboxKey(params.name, headers.authorization, context)
    const id = await createSandboxCheck(params.name, body as NewSandboxCheck, context) // only the adapter has the key
    const url = `${context.public_url()}${SANDBOX_ROUTE}/${params.name}/${id}`
    return reply.code(201).send({ id, url })
  })

  app.get<{ Params: { name: string; id: string } }>(`${sessions}/:id`, async ({ params, headers }, reply) => {
    assertSandboxKey(params.name, headers.authorization, context)
    const { status } = await findSandboxCheck(params.id, context)
    return reply.send({ id: params.id, status })
  })

  app.delete<{ Params: { name: string; id: string } }>(
    `${sessions}/:id`,
    async ({ params, headers }, reply) => {
      assertSandboxKey(params.name, headers.authorization, context)
      await deleteSandboxCheck(params.id, context)
      return reply.code(204).send()
    },
  )

  app.get<{ Params: { name: string; id: string } }>(
    `${SANDBOX_ROUTE}/:name/:id`,
    async ({ params }, reply) => {
      assertSandbox(params.name, context)
      return sendSandboxPage(reply, params, await findSandboxCheck(params.id, context))
    },
  )

  app.post<{ Params: { name: string; id: string } }>(
    `${SANDBOX_ROUTE}/:name/:id`,
    { config: { form: true } },
    async ({ params, body }, reply) => {
      assertSandbox(params.name, context)
      const { status } = { ...(body as Record<string, string>) } // form values are strings
      const check = await decideSandboxCheck(params.name, params.id, chosenStatus(status), context)
      return sendSandboxPage(reply, params, check)
    },
  )
}

function chosenStatus(word: string | undefined): SandboxStatus {
  if (word === 'taken_back') return word
  const found = CHOICES.find(([status]) => status === word)
  if (found === undefined)
    throw new AuthorityError('invalid_request', 'Choose one of the results on the page.')
  return found[0]
}

function sendSandboxPage(
  reply: FastifyReply,
  { name, id }: { readonly name: string; readonly id: string },
  { status, return_url }: SandboxCheck,
): FastifyReply {
  const choices = status === 'passed' ? [['taken_back', 'Take the pass back'] as const] : CHOICES
  const buttons = choices.map(([word, text]) => `<button name="status" value="${word}">${text}</button>`)
  const text = page(
    'Sandbox identity check',
    `<style>${STYLE}</style>
<p class="warning" role="note"><strong>Nobody is verified here.</strong> This page replaces a real verification provider. You choose the result.</p>
<dl><dt>Provider</dt><dd>${readableHtml(name)}</dd><dt>Result</dt><dd id="status">${STATUS_WORDS[status]}</dd></dl>
<form method="post" action="${SANDBOX_ROUTE}/${escapeHtml(name)}/${escapeHtml(id)}"><p>${buttons.join('\n')}</p></form>
${status === 'waiting' ? '' : `<p><a id="back" href="${escapeHtml(return_url)}">Back to the application</a></p>`}`,
  )
  // Under `no-referrer`, browsers send a form without its origin, and it would count as a request from another site.
  return sendPage(reply, text, CSP, 'same-origin')
}
