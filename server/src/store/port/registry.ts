import type { Page, PageRequest } from './pages.ts'

/** The kinds of registry entries. Every change to one is logged. */
export const REGISTRY_KINDS = [
  'tenant',
  'api_key',
  'passkey',
  'identity',
  'session',
  'key_session',
  'key_passkey',
  'access',
  'biometric',
  'verification',
  'review',
  'external_check',
  'redaction',
  'channel',
  'tenant_channel',
  'notifications',
  'ssf_stream',
  'webhook',
  'alert_rule',
  'alert',
] as const

export type RegistryKind = (typeof REGISTRY_KINDS)[number]

export interface RegistryName {
  readonly kind: RegistryKind
  /** Neither secret nor personal: it outlives an erasure, and its SHA-256 is public. */
  readonly id: string
}

/** The entry that says whether the store is in open or keyed mode. A store without it was never keyed. */
export const ACCESS_ENTRY = { kind: 'access', id: 'mode' } as const satisfies RegistryName

/** An entry of the registry. */
export interface RegistryEntry extends RegistryName {
  readonly tenant_id: string
  /** The person whose data key seals the document. If undefined, the deployment's key seals it. */
  readonly owner: string | undefined
  /** Undefined once the entry is removed or its owner is erased. */
  readonly document: string | undefined
  /** The leaf of the newest change. A caller that passes it changes the version it has seen, or nothing. */
  readonly log_index: number
}

/** An entry that is neither removed nor erased. */
export type KeptEntry = RegistryEntry & { readonly document: string }

/** Returns a unique key for a name. No kind contains a space. */
export function registryKey({ kind, id }: RegistryName): string {
  return `${kind} ${id}`
}

export interface RegistryFilter {
  readonly tenant_id?: string | undefined
  readonly owner?: string | undefined
}

/** The committed registry. Reads are never stale, on any node. */
export interface RegistryReader {
  /** Returns a removed entry without its document. */
  entry(kind: RegistryKind, id: string): Promise<RegistryEntry | undefined>
  /** Entries that have a document, newest change first. */
  list(kind: RegistryKind, filter: RegistryFilter, page: PageRequest): Promise<Page<KeptEntry>>
}
