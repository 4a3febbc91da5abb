import { randomFillSync } from 'node:crypto'

/** The prefix of an ID says what it identifies. */
export const ID_PREFIXES = {
  root_token: 'vat_root_',
  sub_token: 'vat_sub_',
  workflow: 'prov_',
  record: 'aar_',
  denial: 'den_',
  approval: 'apr_',
  login: 'lgn_',
  verification_session: 'vs_',
  verification: 'vrf_',
  vouch: 'vch_',
  alert_rule: 'alr_',
  channel: 'chn_',
  stream: 'str_',
  webhook: 'whk_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** Whether a text has the form of a token's ID. */
export function isTokenId(text: string): boolean {
  return text.startsWith(ID_PREFIXES.root_token) || text.startsWith(ID_PREFIXES.sub_token)
}

/** 48 bits of time, so that later IDs sort later, then 128 random bits. */
const TIME_BYTES = 6
const RANDOM_BYTES = 16
const ALPHABET = '0123456789abcdefghijklmnopqrstuv'

const pool = Buffer.allocUnsafe(RANDOM_BYTES * 256)
let used = pool.length

/** A fresh suffix: 36 characters, URL-safe, sortable by time, impossible to guess. */
export function newSuffix(now_ms: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.allocUnsafe(TIME_BYTES + RANDOM_BYTES)
  bytes.writeUIntBE(now_ms, 0, TIME_BYTES)
  pool.copy(bytes, TIME_BYTES, used, used + RANDOM_BYTES)
  pool.fill(0, used, used + RANDOM_BYTES)
  used += RANDOM_BYTES
  return base32hex(bytes)
}

export function newId(kind: IdKind, now_ms: number): string {
  return ID_PREFIXES[kind] + newSuffix(now_ms)
}

/** Every pair of characters, so that ten bits are written at a time. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`)

/** RFC 4648 section 7 in lower case, unpadded: byte order is preserved in string order. */
function base32hex(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    if (bits < 10) continue
    bits -= 10
    text += PAIRS[(value >> bits) & 1023]
    value &= (1 << bits) - 1
  }
  if (bits === 0) return text
  const isPair = bits > 5
  const rest = PAIRS[(value << (10 - bits)) & 1023] ?? ''
  return text + (isPair ? rest : rest[0])
}
