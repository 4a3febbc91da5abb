import type { StoreTables } from '../store/port.ts'
import { type DataKey, keyIdOf, SealError, type Vault, WRAPPED_BYTES } from '../store/vault.ts'
import type { Findings } from './findings.ts'
import type { Story } from './replay/expected.ts'

const REMEMBERED_KEYS = 10_000

/** A data key as the store keeps it. */
export interface KeptKey {
  readonly key_id: number
  readonly human_ref: string
  /** Undefined for one that was destroyed or cannot be unwrapped. */
  open(): DataKey | undefined
  readonly is_destroyed: boolean
  /** The first and the last leaf with words that are sealed under it. */
  first_use: number
  last_use: number
}

/** Reads all data keys, and unwraps each once to see that it is what it was. */
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
        `Data key ${keys.size + 1} is missing: keys are numbered without a gap.`,
      )
    if (typeof human_ref !== 'string' || !(wrapped instanceof Uint8Array)) {
      findings.add('data_keys', key_id, `Data key ${key_id} belongs to a person that does not exist.`)
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
      findings.add('data_keys', key_id, `Data key ${key_id} is whole, but it is not the key of its person.`)
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
    if (keyIdOf(wrapped) !== key_id) return undefined // no seal covers the number itself
    return vault.unwrap(key_id, human_ref, wrapped)
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

/** Keys are destroyed by erasures that the log tells of, all of them and no other. */
export function checkErasures(keys: ReadonlyMap<number, KeptKey>, story: Story, findings: Findings): void {
  const live = new Set<string>()
  const destroyed = new Map<string, number>()
  for (const key of keys.values()) {
    checkTimes(key, story, findings)
    if (key.is_destroyed) destroyed.set(key.human_ref, (destroyed.get(key.human_ref) ?? 0) + 1)
    else live.add(key.human_ref)
  }
  for (const [human_ref, { erased_at, keys_gone, needs_key }] of story.humans) {
    const gone = destroyed.get(human_ref) ?? 0
    if (gone > erased_at.length)
      findings.add(
        'data_keys',
        human_ref,
        `${gone} data keys of ${human_ref} are destroyed, but the log tells of ${erased_at.length} erasures.`,
      )
    if (gone < keys_gone)
      findings.add(
        'data_keys',
        human_ref,
        `${gone} destroyed data keys of ${human_ref} are kept, but from the log follow at least ${keys_gone}.`,
      )
    if (needs_key && !live.has(human_ref))
      findings.add(
        'data_keys',
        human_ref,
        `The data key of ${human_ref} is gone, but the log tells of no erasure since it was used.`,
      )
  }
}

/** All words under one key were told between the same two erasures. */
function checkTimes(
  { key_id, human_ref, is_destroyed, first_use, last_use }: KeptKey,
  story: Story,
  findings: Findings,
) {
  if (last_use < 0) return
  const erased_at = story.humans.get(human_ref)?.erased_at ?? []
  if (erased_at.some((index) => first_use < index && index < last_use))
    findings.add('data_keys', key_id, `Data key ${key_id} outlived an erasure of ${human_ref}.`)
  if (is_destroyed !== erased_at.some((index) => index > last_use))
    findings.add(
      'data_keys',
      key_id,
      is_destroyed
        ? `Data key ${key_id} is destroyed, but the log tells of no erasure of ${human_ref} after its last use.`
        : `Data key ${key_id} should be destroyed: the log tells of an erasure of ${human_ref} after its last use.`,
    )
}
