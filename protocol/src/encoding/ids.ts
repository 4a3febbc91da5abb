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
/** Reused for every suffix, and so is the text. */
const bytes = Buffer.alloc(TIME_BYTES + RANDOM_BYTES)

/** A fresh suffix: 36 characters, URL-safe, sortable by time, impossible to guess. */
export function newSuffix(now_ms: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  bytes.writeUIntBE(now_ms, 0, TIME_BYTES)
  for (let index = TIME_BYTES; index < bytes.length; index++) {
    bytes[index] = pool[used] ?? 0
    pool[used] = 0
    used += 1
  }
  return suffixText()
}

export function newId(kind: IdKind, now_ms: number): string {
  return ID_PREFIXES[kind] + newSuffix(now_ms)
}

const CHARACTERS = Buffer.from(ALPHABET, 'latin1')
const BITS = 5
const text = Buffer.alloc(Math.ceil((bytes.length * 8) / BITS))

/** The bytes in RFC 4648 section 7 in lower case, unpadded: byte order is preserved in string order. */
function suffixText(): string {
  let at = 0
  let bits = 0
  let value = 0
  for (let index = 0; index < bytes.length; index++) {
    value = (value << 8) | (bytes[index] ?? 0)
    bits += 8
    while (bits >= BITS) {
      bits -= BITS
      text[at] = CHARACTERS[(value >> bits) & 31] ?? 0
      at += 1
    }
    value &= (1 << bits) - 1
  }
  if (bits > 0) text[at] = CHARACTERS[(value << (BITS - bits)) & 31] ?? 0
  return text.toString('latin1')
}
