import { registryRef } from '../../log/registry-ref.ts'
import type { ReplayState } from './expected.ts'
import { entryKey, isKept } from './registry-entries.ts'

/** Every ref, among those in the log, of the person that this ref belongs to. */
export function loggedRefs(human_ref: string, replay: ReplayState): string[] {
  const { linked, refs } = replay.trust
  const person = ownerOfAddress(registryRef(human_ref), replay) ?? human_ref
  const addresses = [...(linked.get(person) ?? [])]
    .filter((id_ref) => ownerOfAddress(id_ref, replay) === person)
    .flatMap((id_ref) => refs.get(id_ref) ?? [])
  return [...new Set([human_ref, person, ...addresses])]
}

function ownerOfAddress(id_ref: string, replay: ReplayState): string | undefined {
  const entry = replay.registry.get(entryKey('identity', id_ref))
  return entry !== undefined && isKept(entry, replay) ? entry.owner : undefined
}
