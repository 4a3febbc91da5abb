import type { Level } from '@deputize/protocol'
import type { RegistryReader } from '../store/port/registry.ts'

/** How many passkeys a person can have. */
export const MOST_PASSKEYS = 20

/** What the registry stores about a passkey, under its credential id. The owner of the entry is the person. */
export interface PasskeyDocument {
  /** COSE key, base64url. */
  readonly public_key: string
  /** The authenticator's own signature counter. Many authenticators always report 0. */
  readonly counter: number
  readonly name: string
  readonly transports: readonly string[]
  readonly created_at: string
  readonly last_used_at?: string
  readonly backed_up: boolean
  /** The level of the session that it was registered in. Signing in with it gives the same level. */
  readonly assurance_level: Level
  /** True if its counter went backwards, which happens only with a copy. */
  readonly suspected_clone?: true
  /** Registered in open mode, where any program on the machine could do so. It counts in open mode only. */
  readonly made_in_open_mode?: true
}

export interface KnownPasskey {
  readonly id: string
  readonly tenant_id: string
  readonly human_ref: string
  readonly document: PasskeyDocument
  readonly log_index: number
}

/** Returns all passkeys of a person, newest first. */
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

/** Returns all passkeys of a person who has several refs. */
export async function passkeysUnder(
  registry: RegistryReader,
  tenant_id: string,
  human_refs: readonly string[],
): Promise<KnownPasskey[]> {
  const held = human_refs.map((human_ref) => passkeysOf(registry, { tenant_id, human_ref }))
  return (await Promise.all(held)).flat()
}

/** Returns the passkeys that confirm calls and sign in, which only keyed mode has. */
export async function usablePasskeys(
  registry: RegistryReader,
  person: { readonly tenant_id: string; readonly human_ref: string },
): Promise<KnownPasskey[]> {
  return (await passkeysOf(registry, person)).filter((passkey) => isUsable(passkey, 'keyed'))
}

/** Whether a passkey counts in a deployment of this mode. */
export function isUsable({ document }: KnownPasskey, access: 'open' | 'keyed'): boolean {
  return document.suspected_clone !== true && (document.made_in_open_mode === undefined || access === 'open')
}

/** Returns undefined if it isn't registered or its person was erased. */
export async function findPasskey(registry: RegistryReader, id: string): Promise<KnownPasskey | undefined> {
  const entry = await registry.entry('passkey', id)
  if (entry?.document === undefined || entry.owner === undefined) return undefined
  const { tenant_id, owner, document, log_index } = entry
  return { id, tenant_id, human_ref: owner, document: JSON.parse(document), log_index }
}
