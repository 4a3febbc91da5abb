import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { encodeBase64url, STATUS, STATUS_LIST_TYP } from '@deputize/protocol'
import type { ReadStore } from '../../store/port.ts'
import { statusListUrl } from '../minting/status-list-url.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { signedStatement } from '../signed-statement.ts'

const LIFETIME_S = 60
const CACHED_MS = 5_000
/** Extra indexes after the last token, for tokens issued while verifiers still hold this list. */
const SPARE_INDEXES = 1_024
const LIST_BLOCK = 4_096
const compress = promisify(deflate)

/** The newest list of each store. Concurrent callers share one. */
const statusLists = new WeakMap<ReadStore, { readonly made_ms: number; readonly jwt: Promise<string> }>()

export const getStatusList: Handler<'getStatusList'> = async (_call, context) => {
  const now_ms = context.clock()
  const cached = statusLists.get(context.reader)
  if (cached !== undefined && now_ms >= cached.made_ms && now_ms < cached.made_ms + CACHED_MS)
    return cached.jwt
  const jwt = signedStatusList(context, now_ms)
  statusLists.set(context.reader, { made_ms: now_ms, jwt })
  jwt.catch(() => statusLists.delete(context.reader))
  return jwt
}

async function signedStatusList(context: OperationContext, now_ms: number): Promise<string> {
  const { revoked, suspended } = await context.reader.silenced(now_ms)
  const size = (await context.reader.nextStatusIndex()) + SPARE_INDEXES
  const list = Buffer.alloc((Math.ceil(size / LIST_BLOCK) * LIST_BLOCK) / 4)
  for (const index of suspended) setStatus(list, index, STATUS.suspended)
  // Revoked is final, so it overwrites suspended.
  for (const index of revoked) setStatus(list, index, STATUS.invalid)
  const lst = encodeBase64url(await compress(list, { level: 9 }))
  const iat = Math.floor(now_ms / 1000)
  return signedStatement(
    STATUS_LIST_TYP,
    'status_lists',
    {
      sub: statusListUrl(context),
      iat, // the time of the state that it shows, taken before the read
      exp: iat + LIFETIME_S,
      ttl: LIFETIME_S,
      status_list: { bits: 2, lst },
      withdrawn_keys: withdrawnKids(context),
    },
    context,
  )
}

/** Lists withdrawn keys, so that verifiers with an older key set learn which keys were stolen, without a credential. */
function withdrawnKids({ keys }: OperationContext) {
  return keys.list().flatMap(({ kid, withdrawn_from: from }) => (from === undefined ? [] : [{ kid, from }]))
}

/** Sets the status of one token: two bits per token, four tokens per byte, the first in the lowest bits. */
function setStatus(list: Buffer, index: number, status: number): void {
  const shift = (index % 4) * 2
  const byte = index >> 2
  list[byte] = ((list[byte] ?? 0) & ~(3 << shift)) | (status << shift)
}
