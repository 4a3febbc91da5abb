import { bytes } from '../values.ts'
import { keyIdOf, type Place, SealError, type Vault } from '../vault.ts'

/** A sealed field, opened if its key still exists. */
export interface Opened {
  readonly text: string | undefined
  /** Whether the field held text whose key is destroyed. */
  readonly erased: boolean
}

/** A wrapped data key and its person. */
export interface WrappedKey {
  readonly human_ref: string
  readonly wrapped: Uint8Array
}

const NOTHING: Opened = { text: undefined, erased: false }
const ERASED: Opened = { text: undefined, erased: true }

/** Opens sealed bytes, or null. The key is looked up each time and never cached. */
export function openField(
  vault: Vault,
  value: unknown,
  place: Place,
  keyOf: (key_id: number) => WrappedKey,
): Opened {
  if (value === null || value === undefined) return NOTHING
  const sealed = bytes(value)
  const key_id = keyIdOf(sealed)
  if (key_id === undefined) return { text: vault.deployment.open(place, sealed), erased: false }
  const { human_ref, wrapped } = keyOf(key_id)
  const key = vault.unwrap(key_id, human_ref, wrapped)
  return key === undefined ? ERASED : { text: key.open(place, sealed), erased: false }
}

/** Opens fields sealed under the deployment's key. Throws for a field under a person's key: it was moved there. */
export function deploymentOpener(vault: Vault): (value: unknown, place: Place) => Opened {
  return (value, place) =>
    openField(vault, value, place, () => {
      throw new SealError(undefined)
    })
}
