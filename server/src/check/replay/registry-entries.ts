import type { ExpectedRegistryEntry, ReplayState } from './expected.ts'

/** The key of an entry. Leaves hold only a reference to its ID. */
export function entryKey(kind: string, id_ref: string): string {
  return `${kind} ${id_ref}`
}

/** Whether an entry was neither removed nor lost its owner to an erasure. */
export function isKept({ document, owner, log_index }: ExpectedRegistryEntry, replay: ReplayState): boolean {
  if (document === undefined) return false
  const erased_at = owner === undefined ? undefined : replay.humans.get(owner)?.erased_at
  return !erased_at?.some((index) => index > log_index)
}
