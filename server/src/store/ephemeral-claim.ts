import { randomUUID } from 'node:crypto'
import type { EphemeralEntry, EphemeralKind, EphemeralStore } from './ephemeral.ts'

/** A claim of one holder for a time. Its value is of its own, which tells it from the claim of a later holder. */
export type HeldClaim = EphemeralEntry

/** The claim, for one caller on one node; undefined while somebody else has it. */
export async function addClaim(
  ephemeral: EphemeralStore,
  kind: EphemeralKind,
  about: Omit<EphemeralEntry, 'value'>,
): Promise<HeldClaim | undefined> {
  const claim = { ...about, value: JSON.stringify({ holder: randomUUID() }) }
  return (await ephemeral.add(kind, claim)) ? claim : undefined
}

/**
 * Frees a claim. One that lasted too long may be somebody else's by now, and then stays. If the store refuses, the claim ends
 * by itself: what the holder did meanwhile is done.
 */
export async function freeClaim(
  ephemeral: EphemeralStore,
  kind: EphemeralKind,
  { key, value }: HeldClaim,
): Promise<void> {
  try {
    const current = await ephemeral.get(kind, key)
    if (current?.value === value) await ephemeral.replace(kind, { ...current, expires_at_ms: 0 }, current)
  } catch {
    // it expires
  }
}
