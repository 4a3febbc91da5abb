import { randomUUID } from 'node:crypto'
import type { EphemeralEntry, EphemeralKind, EphemeralStore } from './ephemeral.ts'

/** A claim that one holder has for a limited time. Its unique value distinguishes it from a later holder's claim. */
export type HeldClaim = EphemeralEntry

/** Claims a key for one caller on one node. Returns undefined while another caller has it. */
export async function addClaim(
  ephemeral: EphemeralStore,
  kind: EphemeralKind,
  about: Omit<EphemeralEntry, 'value'>,
): Promise<HeldClaim | undefined> {
  const claim = { ...about, value: JSON.stringify({ holder: randomUUID() }) }
  return (await ephemeral.add(kind, claim)) ? claim : undefined
}

/**
 * Frees a claim, unless it expired and another holder has it now. Errors of the store are ignored: the holder's work is
 * done, and the claim expires by itself.
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
