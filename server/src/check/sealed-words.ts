import { type DataKey, keyIdOf, type Place, SealError, type Vault } from '../store/vault.ts'
import type { KeptKey } from './data-keys.ts'
import type { Findings } from './findings.ts'
import type { Words } from './replay/expected.ts'

/** Compares sealed columns with the digests that the log holds of them. */
export interface SealedWords {
  /** `value` is what the column holds; `told` what the log knows of it. */
  check(where: ColumnPlace, value: unknown, place: Place, told: Words | undefined): void
  /** The text under a seal of anybody, or a sentence that says why it cannot be had; neither after an erasure. */
  open(sealed: Uint8Array, place: Place): Opened
}

export interface ColumnPlace {
  readonly table: string
  readonly key: string | number
  readonly column: string
}

export type Opened =
  | { readonly text: string; readonly key: DataKey; readonly owner: KeptKey | undefined }
  | { readonly owner: KeptKey; readonly is_erased: true }
  | { readonly fault: string }

export function sealedWords(
  vault: Vault,
  keys: ReadonlyMap<number, KeptKey>,
  findings: Findings,
): SealedWords {
  function open(sealed: Uint8Array, place: Place): Opened {
    try {
      const key_id = keyIdOf(sealed)
      if (key_id === undefined)
        return { text: vault.deployment.open(place, sealed), key: vault.deployment, owner: undefined }
      const owner = keys.get(key_id)
      if (owner === undefined) return { fault: `is sealed under data key ${key_id}, which does not exist` }
      if (owner.is_destroyed) return { owner, is_erased: true }
      const key = owner.open()
      if (key === undefined) return { fault: `is sealed under data key ${key_id}, which cannot be unwrapped` }
      return { text: key.open(place, sealed), key, owner }
    } catch (error) {
      if (error instanceof SealError) return { fault: 'was changed, or was sealed for another place' }
      throw error
    }
  }

  function faultOf(sealed: Uint8Array, place: Place, told: Words): string | undefined {
    const opened = open(sealed, place)
    if ('fault' in opened) return opened.fault
    const { owner } = opened
    if (owner?.human_ref !== told.human_ref)
      return `is sealed under a key of somebody else than ${told.human_ref ?? 'the deployment'}`
    if (owner !== undefined) {
      owner.first_use = Math.min(owner.first_use, told.log_index)
      owner.last_use = Math.max(owner.last_use, told.log_index)
    }
    if ('is_erased' in opened) return undefined // nobody can read it any more, and nobody can tell
    return opened.key.digest(told.kind, opened.text) === told.digest
      ? undefined
      : `says something else than the digest in leaf ${told.log_index} stands for`
  }

  return {
    open,
    check({ table, key, column }, value, place, told) {
      const add = (what: string) => findings.add(table, key, `Column ${column} of ${table} ${key} ${what}.`)
      if (told === undefined) {
        if (value !== null) add('holds something, but no leaf tells of it')
      } else if (!(value instanceof Uint8Array)) {
        add(`holds nothing, but leaf ${told.log_index} tells of words there`)
      } else {
        const fault = faultOf(value, place, told)
        if (fault !== undefined) add(fault)
      }
    },
  }
}
