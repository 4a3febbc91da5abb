import { type ActionRecord, tokenRef } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { Habit, HabitKey } from '../../domain/approvals/habit.ts'
import { denialView } from '../../domain/denial.ts'
import { recordView } from '../../domain/record.ts'
import type { Chain, TokenWords } from '../../domain/tokens/token.ts'
import { EVERY_RECORD, EVERY_VOUCH } from '../../store/port/filters.ts'
import { type ChannelOwner, channelsOf } from '../channels/channel-entries.ts'
import { settingsOf } from '../channels/notification-settings.ts'
import type { EnrolledPerson } from '../identity/biometric-entries.ts'
import { biometricExport } from '../identity/biometric-export.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import { eachEntry } from '../lists/pages.ts'
import { loadHuman } from '../loading/load-human.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { approvalView } from '../views/approval-view.ts'
import { channelView } from '../views/channel-view.ts'
import { grantView, habitView } from '../views/habit-view.ts'
import { humanView } from '../views/human-view.ts'
import { keyView } from '../views/key-view.ts'
import { tokenView } from '../views/token-view.ts'
import { anchorView, vouchView } from '../views/vouch-view.ts'

/**
 * Exports everything stored about a person under any of their refs, in clear text, for that person. The file leaves the
 * deployment, and in open mode a token ID is a credential, so tokens appear as the hashes that the log uses.
 */
export const exportHuman: Handler<'exportHuman'> = async ({ params, caller }, context) => {
  await loadHuman(params.human_ref, context)
  return {
    media_type: 'application/x-ndjson',
    file_name: `${params.human_ref}.ndjson`,
    chunks: exportLines(exportEntries(params.human_ref, caller, context)),
  }
}

type ExportEntry = Readonly<Record<string, unknown>>

/** Yields the lines of the file. The last one counts the entries, so that truncation can be detected. */
async function* exportLines(entries: AsyncIterable<ExportEntry>): AsyncGenerator<string> {
  let count = 0
  for await (const entry of entries) {
    yield `${JSON.stringify(entry)}\n`
    count += 1
  }
  yield `${JSON.stringify({ end: true, entries: count })}\n`
}

async function* exportEntries(
  human_ref: string,
  caller: Caller,
  context: OperationContext,
): AsyncGenerator<ExportEntry> {
  for (const ref of await everyRefOf(human_ref, context)) yield* entriesOfRef(ref, caller, context)
  yield* biometricEntries({ tenant_id: caller.tenant_id, human_ref }, caller, context)
}

async function* entriesOfRef(
  human_ref: string,
  caller: Caller,
  context: OperationContext,
): AsyncGenerator<ExportEntry> {
  const { reader, clock } = context
  const human = await reader.human(human_ref, clock())
  const ofHuman = { ...EVERY_RECORD, human_ref }
  const approvals = { ...ofHuman, state: undefined }

  if (human !== undefined) yield { human: humanView(human) }
  for await (const chain of eachEntry((page) => reader.tokens(ofHuman, page))) {
    const [{ token }] = chain
    const words = (await reader.words([token.jti])).get(token.jti)
    yield { token: tokenEntry(chain, words, clock()) }
  }
  for await (const record of eachEntry((page) => reader.records(ofHuman, page)))
    yield { record: recordEntry(recordView(record)) }
  for await (const denial of eachEntry((page) => reader.denials(ofHuman, page)))
    yield { denial: withTokenHash(denialView(denial)) }
  for await (const approval of eachEntry((page) => reader.approvals(approvals, page, clock())))
    yield { approval: withTokenHash(approvalView(approval, clock())) }
  for (const habit of await reader.habits(ofHuman)) yield { habit: habitEntry(habit) }
  for (const filter of [{ from: human_ref }, { to: human_ref }])
    for await (const vouch of eachEntry((page) => reader.trust.vouches({ ...EVERY_VOUCH, ...filter }, page)))
      yield { vouch: vouchView(vouch, clock()) }
  const anchor = await reader.trust.anchor(human_ref)
  if (anchor !== undefined && anchor.removed_index === undefined) yield { anchor: anchorView(anchor) }
  const passkeys = eachEntry((page) => reader.registry.list('passkey', { owner: human_ref }, page))
  for await (const { id, document } of passkeys)
    yield { passkey: { passkey_id: id, ...JSON.parse(document) } }
  const sessions = eachEntry((page) => reader.registry.list('session', { owner: human_ref }, page))
  for await (const { document } of sessions) yield { session: JSON.parse(document) }
  const keys = eachEntry((page) => reader.registry.list('api_key', { owner: human_ref }, page))
  for await (const key of keys) yield { key: keyView(key) }
  yield* notificationEntries({ tenant_id: caller.tenant_id, owner: human_ref }, context)
}

/**
 * Yields channels and settings. The destination of a channel is shown, but hook addresses and browser keys aren't,
 * because they are credentials.
 */
async function* notificationEntries(
  owner: ChannelOwner,
  { reader }: OperationContext,
): AsyncGenerator<ExportEntry> {
  for (const { channel_id, document } of await channelsOf(owner, reader.registry))
    yield { channel: channelView(channel_id, document) }
  const { settings } = await settingsOf(owner, reader.registry)
  if (Object.keys(settings).length > 0) yield { notifications: settings }
}

/** Yields biometric data. An operator gets what is stored about a person, but never the template itself. */
async function* biometricEntries(
  person: EnrolledPerson,
  { role }: Caller,
  context: OperationContext,
): AsyncGenerator<ExportEntry> {
  const { template, verifications, ...enrollment } = await biometricExport(person, context)
  if (enrollment.enrolled) yield { biometric: { ...enrollment, ...(role !== 'operator' && { template }) } }
  for (const verification of verifications) yield { verification }
}

function tokenEntry(chain: Chain, words: TokenWords | undefined, now_ms: number): ExportEntry {
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

function habitEntry(habit: HabitKey & Habit): ExportEntry {
  const { root_jti, ...view } = habitView(habit)
  const [grant] = grantView(habit).map(({ expires_at, max_spend_usd, spent_usd, uses }) => ({
    expires_at,
    max_spend_usd,
    spent_usd,
    uses,
  }))
  return { ...view, root_token: tokenRef(root_jti), ...(grant !== undefined && { grant }) }
}

function recordEntry({ root_jti, ...record }: ActionRecord): ExportEntry {
  return { ...withTokenHash(record), root_token: tokenRef(root_jti) }
}

function withTokenHash<T extends { readonly vat_jti: string }>({ vat_jti, ...entry }: T): ExportEntry {
  return { token: tokenRef(vat_jti), ...entry }
}
