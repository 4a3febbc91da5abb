import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import {
  DEFAULT_TENANT,
  encodeBase64url,
  invalidField,
  OPERATIONS,
  REVOCATIONS_TYP,
  type RevocationEntry,
  STATUS,
  STATUS_LIST_TYP,
  shownAgent,
  signStatement,
  tenantOf,
} from '@deputize/protocol'
import type { ReadStore } from '../store/port.ts'
import type { Handler, OperationContext } from './operation-context.ts'

const PAGE = 1_000
const LIST_LIFETIME_S = 60
const LIST_CACHED_MS = 5_000
/** Places beyond the last token, for those issued while verifiers still hold this list. */
const SPARE_PLACES = 1_024
const BLOCK = 4_096
const compress = promisify(deflate)

export const listRevocations: Handler<'listRevocations'> = async ({ query }, context) => {
  const since = query.since ?? 0
  const { log_size, leaves } = await context.reader.standingChanges(since, PAGE + 1)
  // Somebody who has seen more than there is holds the proof that the log was cut back.
  if (since > log_size) throw invalidField('?since', `lies beyond the end of the log, which is ${log_size}`)
  const page = leaves.slice(0, PAGE)
  const has_more = leaves.length > PAGE
  const until = has_more ? (page.at(-1)?.log_index ?? since) + 1 : log_size
  const entries = page.map(entryOf)
  return { jwt: await statement(REVOCATIONS_TYP, { since, until, has_more, entries }, context) }
}

function entryOf({
  log_index,
  text,
}: {
  readonly log_index: number
  readonly text: string
}): RevocationEntry {
  const leaf: Record<string, string> = JSON.parse(text) // written by this service; all members are strings but v
  const { type = '', at = '', token, agent_id, human_ref } = leaf
  const [subject, kind] = type.split('.') as [string, RevocationEntry['kind']] // only leaves of such types are listed
  // A mark on an agent or a person revokes what was issued before its own leaf.
  const below = kind === 'revoked' && subject !== 'token' ? { below: log_index } : {}
  if (token !== undefined) return { log_index, at, kind, token }
  return {
    log_index,
    at,
    kind,
    ...(agent_id !== undefined && agentMembers(agent_id.slice('agent:'.length))),
    ...(human_ref !== undefined && { human_ref }),
    ...below,
  }
}

/** Equal names of two tenants are two agents, so a verifier has to be told whose agent it is. */
function agentMembers(scoped: string): Pick<RevocationEntry, 'agent_id' | 'tenant_id'> {
  const tenant_id = tenantOf(scoped)
  return { agent_id: shownAgent(scoped), ...(tenant_id !== DEFAULT_TENANT && { tenant_id }) }
}

export const getStatusList: Handler<'getStatusList'> = async (_call, context) => {
  const now_ms = context.clock()
  const known = lists.get(context.reader)
  if (known !== undefined && now_ms >= known.made_ms && now_ms < known.made_ms + LIST_CACHED_MS)
    return known.jwt
  const jwt = makeStatusList(context, now_ms)
  lists.set(context.reader, { made_ms: now_ms, jwt })
  jwt.catch(() => lists.delete(context.reader))
  return jwt
}

/** The newest list of each store. Callers at the same time wait for the same one. */
const lists = new WeakMap<ReadStore, { readonly made_ms: number; readonly jwt: Promise<string> }>()

async function makeStatusList(context: OperationContext, now_ms: number): Promise<string> {
  const { revoked, suspended } = await context.reader.silenced(now_ms)
  const places = (await context.reader.nextStatusIndex()) + SPARE_PLACES
  const list = Buffer.alloc((Math.ceil(places / BLOCK) * BLOCK) / 4)
  for (const place of suspended) setStatus(list, place, STATUS.suspended)
  // Last, because revoked is final.
  for (const place of revoked) setStatus(list, place, STATUS.invalid)
  const lst = encodeBase64url(await compress(list, { level: 9 }))
  const iat = Math.floor(now_ms / 1000)
  return statement(
    STATUS_LIST_TYP,
    {
      sub: OPERATIONS.getStatusList.path,
      iat, // that of the state it shows, however long it took to read
      exp: iat + LIST_LIFETIME_S,
      ttl: LIST_LIFETIME_S,
      status_list: { bits: 2, lst },
    },
    context,
  )
}

/** Four tokens in a byte, the first in the lowest bits. */
function setStatus(list: Buffer, place: number, status: number): void {
  const shift = (place % 4) * 2
  const byte = place >> 2
  list[byte] = ((list[byte] ?? 0) & ~(3 << shift)) | (status << shift)
}

function statement(
  typ: string,
  payload: Record<string, unknown>,
  { keys, issuer, clock }: OperationContext,
): Promise<string> {
  const { kid, sign } = keys.active()
  const iat = Math.floor(clock() / 1000)
  return signStatement({ alg: 'EdDSA', typ, kid }, { iss: issuer, iat, ...payload }, sign)
}
