/**
 * What a key of the service signs. A key has one purpose, so that a stolen token key can't sign a status list or a list of
 * revocations that hides its own withdrawal.
 */
export const KEY_PURPOSES = ['tokens', 'status_lists', 'statements'] as const

export type KeyPurpose = (typeof KEY_PURPOSES)[number]

const PURPOSE_OF_TYP: ReadonlyMap<string, KeyPurpose> = new Map([
  ['vat+jwt', 'tokens'],
  ['statuslist+jwt', 'status_lists'],
  ['revocations+jwt', 'statements'],
  ['receipt+jwt', 'statements'],
])

/** Whether a key may sign a JWS of this type. Keys of early versions have no purpose and signed everything. */
export function signsFor(purpose: string | undefined, typ: string): boolean {
  return purpose === undefined || PURPOSE_OF_TYP.get(typ) === purpose
}
