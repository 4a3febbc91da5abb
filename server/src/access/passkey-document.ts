import type { Level } from '@deputize/protocol'
import type { RegistryReader } from '../store/port.ts'

/** How many passkeys a person has at most. */
export const MOST_PASSKEYS = 20

/** What the registry holds about a passkey, under the id of its credential. Its owner is the person. */
export interface PasskeyDocument {
  /** COSE key, base64url. */
  readonly public_key: string
  /** How often it was used, as it says itself; many never count. */
  readonly counter: number
  readonly name: string
  readonly transports: readonly string[]
  readonly created_at: string
  readonly last_used_at?: string
  readonly backed_up: boolean
  /** The level of the session that it was registered in: whoever signs in with it has no other. */
  readonly assurance_level: Level
  /** It has counted backwards, as only a copy does. */
  readonly suspected_clone?: true
}

export interface KnownPasskey {
  readonly id: string
  readonly tenant_id: string
  readonly human_ref: string
  readonly document: PasskeyDocument
  readonly log_index: number
}

/** All of a person, the newest first. */
export async function passkeysOf(
  registry: RegistryReader,
  { tenant_id, human_ref }: { readonly tenant_id: string; readonly human_ref: string },
): Promise<KnownPasskey[]> {
  const page = { limit: MOST_PASSKEYS, before: undefined }
  const { entries } = await registry.list('passkey', { tenant_id, owner: human_ref }, page)
  return entries.map(({ id, document, log_index }) => ({
    id,
    tenant_id,
    human_ref,
    document: JSON.parse(document),
    log_index,
  }))
}

export async function usablePasskeys(
  registry: RegistryReader,
  person: { readonly tenant_id: string; readonly human_ref: string },
): Promise<KnownPasskey[]> {
  return (await passkeysOf(registry, person)).filter(({ document }) => document.suspected_clone !== true)
}

/** Undefined for one that nobody has registered, or whose person was erased. */
export async function findPasskey(registry: RegistryReader, id: string): Promise<KnownPasskey | undefined> {
  const entry = await registry.entry('passkey', id)
  if (entry?.document === undefined || entry.owner === undefined) return undefined
  const { tenant_id, owner, document, log_index } = entry
  return { id, tenant_id, human_ref: owner, document: JSON.parse(document), log_index }
}
