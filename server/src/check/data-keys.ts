import type { StoreTables } from '../store/port/store-tables.ts'
import { type DataKey, keyIdOf, SealError, type Vault, WRAPPED_BYTES } from '../store/vault.ts'
import type { Findings } from './findings.ts'
import type { ReplayState } from './replay/expected.ts'

const REMEMBERED_KEYS = 10_000

/** A stored data key. */
export interface KeptKey {
  readonly key_id: number
  readonly human_ref: string
  /** Undefined for a key that was destroyed or can't be unwrapped. */
  open(): DataKey | undefined
  readonly is_destroyed: boolean
  /** The first and the last leaf with a text sealed under it. */
  first_use: number
  last_use: number
}

/** Reads all data keys, and unwraps each once to check it. */
export async function readDataKeys(
  tables: StoreTables,
  vault: Vault,
  findings: Findings,
): Promise<ReadonlyMap<number, KeptKey>> {
  const keys = new Map<number, KeptKey>()
  const remembered = new Map<number, DataKey>()
  const rows = tables.rows(`
    SELECT k.data_key, k.wrapped, h.human_ref, h.data_key AS current_key
    FROM data_keys k LEFT JOIN humans h ON h.human_key = k.human_key ORDER BY k.data_key`)
  for await (const { data_key, wrapped, human_ref, current_key } of rows) {
    const key_id = Number(data_key)
    if (key_id !== keys.size + 1)
      findings.add(
        'data_keys',
        key_id,
        `Data key ${keys.size + 1} is missing: keys are numbered without gaps.`,
      )
    if (typeof human_ref !== 'string' || !(wrapped instanceof Uint8Array)) {
      findings.add('data_keys', key_id, `Data key ${key_id} belongs to a person who does not exist.`)
      continue
    }
    const is_destroyed = wrapped.every((byte) => byte === 0)
    const open = (): DataKey | undefined => {
      const known = remembered.get(key_id) ?? unwrapped(vault, key_id, human_ref, wrapped)
      if (remembered.size >= REMEMBERED_KEYS) remembered.clear()
      if (known !== undefined) remembered.set(key_id, known)
      return known
    }
    keys.set(key_id, {
      key_id,
      human_ref,
      open,
      is_destroyed,
      first_use: Number.POSITIVE_INFINITY,
      last_use: -1,
    })
    if (wrapped.length !== WRAPPED_BYTES || (!is_destroyed && open() === undefined))
      findings.add(
        'data_keys',
        key_id,
        `Data key ${key_id} was not wrapped for its person by this deployment.`,
      )
    if (!is_destroyed && current_key !== key_id)
      findings.add('data_keys', key_id, `Data key ${key_id} is intact, but its person does not use it.`)
    if (is_destroyed && current_key === key_id)
      findings.add('humans', human_ref, `Data key ${key_id} of ${human_ref} is destroyed, but still in use.`)
  }
  return keys
}

function unwrapped(
  vault: Vault,
  key_id: number,
  human_ref: string,
  wrapped: Uint8Array,
): DataKey | undefined {
  try {
    if (keyIdOf(wrapped) !== key_id) return undefined // the seal doesn't cover the number itself
    return vault.unwrap(key_id, human_ref, wrapped)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** Checks that each erasure in the log has destroyed the person's key, and that nothing else has destroyed one. */
export function checkErasures(
  keys: ReadonlyMap<number, KeptKey>,
  replay: ReplayState,
  findings: Findings,
): void {
  const live = new Set<string>()
  const destroyed = new Map<string, number>()
  for (const key of keys.values()) {
    checkKeyUses(key, replay, findings)
    if (key.is_destroyed) destroyed.set(key.human_ref, (destroyed.get(key.human_ref) ?? 0) + 1)
    else live.add(key.human_ref)
  }
  for (const [human_ref, { erased_at, keys_gone, needs_key }] of replay.humans) {
    const gone = destroyed.get(human_ref) ?? 0
    if (gone > erased_at.length)
      findings.add(
        'data_keys',
        human_ref,
        `${gone} data keys of ${human_ref} are destroyed, but the log has ${erased_at.length} erasures.`,
      )
    if (gone < keys_gone)
      findings.add(
        'data_keys',
        human_ref,
        `${gone} data keys of ${human_ref} are destroyed, but the log implies at least ${keys_gone}.`,
      )
    if (needs_key && !live.has(human_ref))
      findings.add(
        'data_keys',
        human_ref,
        `The data key of ${human_ref} is gone, but the log has no erasure since its last use.`,
      )
  }
}

/** Checks that all texts under one key were logged between the same two erasures. */
function checkKeyUses(
  { key_id, human_ref, is_destroyed, first_use, last_use }: KeptKey,
  replay: ReplayState,
  findings: Findings,
) {
  if (last_use < 0) return
  const erased_at = replay.humans.get(human_ref)?.erased_at ?? []
  if (erased_at.some((index) => first_use < index && index < last_use))
    findings.add('data_keys', key_id, `Data key ${key_id} outlived an erasure of ${human_ref}.`)
  if (is_destroyed !== erased_at.some((index) => index > last_use))
    findings.add(
      'data_keys',
      key_id,
      is_destroyed
        ? `Data key ${key_id} is destroyed, but the log has no erasure of ${human_ref} after its last use.`
        : `Data key ${key_id} should be destroyed: the log has an erasure of ${human_ref} after its last use.`,
    )
}
