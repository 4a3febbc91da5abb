import { type DataKey, keyIdOf, type Place, SealError, type Vault } from '../store/vault.ts'
import type { KeptKey } from './data-keys.ts'
import type { Findings } from './findings.ts'
import type { ExpectedText } from './replay/expected.ts'

/** Compares sealed columns with their digests in the log. */
export interface SealedTexts {
  /** Compares the value of a column with the text that the log expects there. */
  check(where: ColumnPlace, value: unknown, place: Place, expected: ExpectedText | undefined): void
  /** The text, the reason why it can't be opened, or neither after an erasure. */
  open(sealed: Uint8Array, place: Place): OpenedText
}

export interface ColumnPlace {
  readonly table: string
  readonly key: string | number
  readonly column: string
}

export type OpenedText =
  | { readonly text: string; readonly key: DataKey; readonly owner: KeptKey | undefined }
  | { readonly owner: KeptKey; readonly is_erased: true }
  | { readonly fault: string }

export function sealedTexts(
  vault: Vault,
  keys: ReadonlyMap<number, KeptKey>,
  findings: Findings,
): SealedTexts {
  function open(sealed: Uint8Array, place: Place): OpenedText {
    try {
      const key_id = keyIdOf(sealed)
      if (key_id === undefined)
        return { text: vault.deployment.open(place, sealed), key: vault.deployment, owner: undefined }
      const owner = keys.get(key_id)
      if (owner === undefined) return { fault: `is sealed under data key ${key_id}, which does not exist` }
      if (owner.is_destroyed) return { owner, is_erased: true }
      const key = owner.open()
      if (key === undefined) return { fault: `is sealed under data key ${key_id}, which can't be unwrapped` }
      return { text: key.open(place, sealed), key, owner }
    } catch (error) {
      if (error instanceof SealError) return { fault: 'was changed, or was sealed for another row or column' }
      throw error
    }
  }

  function faultOf(sealed: Uint8Array, place: Place, expected: ExpectedText): string | undefined {
    const opened = open(sealed, place)
    if ('fault' in opened) return opened.fault
    const { owner } = opened
    if (owner?.human_ref !== expected.human_ref)
      return `is not sealed under the key of ${expected.human_ref ?? 'the deployment'}`
    if (owner !== undefined) {
      owner.first_use = Math.min(owner.first_use, expected.log_index)
      owner.last_use = Math.max(owner.last_use, expected.log_index)
    }
    if ('is_erased' in opened) return undefined // without the key the text can't be compared
    return opened.key.digest(expected.kind, opened.text) === expected.digest
      ? undefined
      : `does not match the digest in leaf ${expected.log_index}`
  }

  return {
    open,
    check({ table, key, column }, value, place, expected) {
      const add = (what: string) => findings.add(table, key, `Column ${column} of ${table} ${key} ${what}.`)
      if (expected === undefined) {
        if (value !== null) add('holds a text, but the log has no digest of one')
      } else if (!(value instanceof Uint8Array)) {
        add(`is empty, but leaf ${expected.log_index} has a digest of its text`)
      } else {
        const fault = faultOf(value, place, expected)
        if (fault !== undefined) add(fault)
      }
    },
  }
}
