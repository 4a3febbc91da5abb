import { type ActionRecord, tokenRef } from '@deputize/protocol'
import { denialView } from '../domain/denial.ts'
import { recordView } from '../domain/record.ts'
import type { Chain, TokenWords } from '../domain/token.ts'
import { EVERY_RECORD } from '../store/port.ts'
import { approvalView, habitView } from './approvals.ts'
import { tokenView } from './get-token.ts'
import { humanView, knownHuman } from './humans.ts'
import type { Handler, OperationContext } from './operation-context.ts'
import { everyEntry } from './pages.ts'

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
  const ofHuman = { ...EVERY_RECORD, human_ref }

  yield { human }
  for await (const chain of everyEntry((page) => reader.tokens(ofHuman, page))) {
    const [{ token }] = chain
    const words = (await reader.words([token.jti])).get(token.jti)
    yield { token: tokenEntry(chain, words, clock()) }
  }
  for await (const record of everyEntry((page) => reader.records(ofHuman, page)))
    yield { record: recordEntry(recordView(record)) }
  for await (const denial of everyEntry((page) => reader.denials(ofHuman, page)))
    yield { denial: nameless(denialView(denial)) }
  const asked = { ...ofHuman, state: undefined }
  for await (const approval of everyEntry((page) => reader.approvals(asked, page, clock())))
    yield { approval: nameless(approvalView(approval, clock())) }
  for (const habit of await reader.habits(ofHuman)) yield { habit: habitView(habit) }
  const passkeys = everyEntry((page) => reader.registry.list('passkey', { owner: human_ref }, page))
  for await (const { id, document } of passkeys)
    yield { passkey: { passkey_id: id, ...JSON.parse(document) } }
}

function tokenEntry(chain: Chain, words: TokenWords | undefined, now_ms: number): Entry {
  const { jti, root_jti, parent_jti, renews_jti, claims, ...view } = tokenView(chain, words, now_ms)
  return {
    token: tokenRef(jti),
    root_token: tokenRef(root_jti),
    ...(parent_jti !== undefined && { parent_token: tokenRef(parent_jti) }),
    ...(renews_jti !== undefined && { renews_token: tokenRef(renews_jti) }),
    scope: claims.svc_scope,
    ...(claims.svc_constraints !== undefined && { constraints: claims.svc_constraints }),
    ...view,
  }
}

function recordEntry({ root_jti, ...record }: ActionRecord): Entry {
  return { ...nameless(record), root_token: tokenRef(root_jti) }
}

function nameless<T extends { readonly vat_jti: string }>({ vat_jti, ...entry }: T): Entry {
  return { token: tokenRef(vat_jti), ...entry }
}
