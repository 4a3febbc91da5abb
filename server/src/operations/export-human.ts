import { hash } from 'node:crypto'
import type { ActionRecord } from '@deputy/protocol'
import { denialView } from '../domain/denial.ts'
import { recordView } from '../domain/record.ts'
import type { Chain, TokenWords } from '../domain/token.ts'
import type { Page, PageRequest } from '../store/port.ts'
import { approvalView, habitView } from './approvals.ts'
import { tokenView } from './get-token.ts'
import { humanView, knownHuman } from './humans.ts'
import type { Handler, OperationContext } from './operation-context.ts'

const PAGE = 200

/**
 * Everything that is kept about a person, in the clear, for that person. A file travels, and in open mode the id of a
 * token is a credential: tokens are named by the hash under which the log knows them.
 */
export const exportHuman: Handler<'exportHuman'> = async ({ params }, context) => {
  const human = await knownHuman(params.human_ref, context)
  return {
    media_type: 'application/x-ndjson',
    file_name: `${params.human_ref}.ndjson`,
    chunks: lines(entriesOf(params.human_ref, humanView(human), context)),
  }
}

type Entry = Readonly<Record<string, unknown>>

async function* lines(entries: AsyncIterable<Entry>): AsyncGenerator<string> {
  let count = 0
  for await (const entry of entries) {
    yield `${JSON.stringify(entry)}\n`
    count += 1
  }
  yield `${JSON.stringify({ end: true, entries: count })}\n`
}

async function* entriesOf(human_ref: string, human: Entry, context: OperationContext): AsyncGenerator<Entry> {
  const { reader, clock } = context
  const ofTokens = {
    human_ref,
    agent_id: undefined,
    provenance_ref: undefined,
    assurance_level: undefined,
  }
  const anyTime = { from_ms: undefined, to_ms: undefined }
  const anyRecord = {
    action: undefined,
    resource: undefined,
    result: undefined,
    rating: undefined,
    state: undefined,
  }

  yield { human }
  for await (const chain of all((page) => reader.tokens(ofTokens, page))) {
    const [{ token }] = chain
    const words = (await reader.words([token.jti])).get(token.jti)
    yield { token: tokenEntry(chain, words, clock()) }
  }
  for await (const record of all((page) => reader.records({ ...ofTokens, ...anyRecord, ...anyTime }, page)))
    yield { record: recordEntry(recordView(record)) }
  for await (const denial of all((page) => reader.denials({ ...ofTokens, ...anyTime }, page)))
    yield { denial: nameless(denialView(denial)) }
  const asked = { ...ofTokens, ...anyTime, state: undefined }
  for await (const approval of all((page) => reader.approvals(asked, page, clock())))
    yield { approval: nameless(approvalView(approval, clock())) }
  for (const habit of await reader.habits({ agent_id: undefined, human_ref }))
    yield { habit: habitView(habit) }
}

/** Every entry of a list, page after page. */
async function* all<T>(read: (page: PageRequest) => Promise<Page<T>>): AsyncGenerator<T> {
  let before: number | undefined
  do {
    const page = await read({ limit: PAGE, before })
    yield* page.entries
    before = page.before
  } while (before !== undefined)
}

function tokenEntry(chain: Chain, words: TokenWords | undefined, now_ms: number): Entry {
  const { jti, root_jti, parent_jti, renews_jti, claims, ...view } = tokenView(chain, words, now_ms)
  return {
    token: refOf(jti),
    root_token: refOf(root_jti),
    ...(parent_jti !== undefined && { parent_token: refOf(parent_jti) }),
    ...(renews_jti !== undefined && { renews_token: refOf(renews_jti) }),
    scope: claims.svc_scope,
    ...(claims.svc_constraints !== undefined && { constraints: claims.svc_constraints }),
    ...view,
  }
}

function recordEntry({ root_jti, ...record }: ActionRecord): Entry {
  return { ...nameless(record), root_token: refOf(root_jti) }
}

function nameless<T extends { readonly vat_jti: string }>({ vat_jti, ...entry }: T): Entry {
  return { token: refOf(vat_jti), ...entry }
}

function refOf(jti: string): string {
  return `sha256:${hash('sha256', jti)}`
}
