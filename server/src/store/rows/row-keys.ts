import { DEFAULT_TENANT, tenantOf } from '@deputize/protocol'
import type { Token } from '../../domain/tokens/token.ts'
import type { Changes, NewReplay } from '../port/changes.ts'
import { FIRST_TENANT_KEY } from '../values.ts'
import type { Place } from '../vault.ts'

/** A token with its key in the store and that of the token above it. */
export interface KeyedToken {
  readonly token: Token
  readonly token_key: number
  readonly above_key: number | undefined
  readonly path: Uint8Array
}

/**
 * What the rows of one batch need from the store that writes them: the integer keys of ids, and the sealing of personal
 * text. A key is assigned on first use, in the order of the calls.
 */
export interface RowKeys {
  /** A token that was stored before or added by this batch. */
  token(jti: string): KeyedToken
  /** Assigns a new token its key and its path below `above`. */
  addToken(token: Token, above: KeyedToken | undefined): KeyedToken
  name(text: string): number
  agent(agent_id: string): number
  human(human_ref: string): number
  workflow(provenance_ref: string): number
  /** The log index of a record, by its id; null for an id that isn't stored. */
  recordIndex(aar_id: string): number | null
  /** The key under which a stored answer is kept. */
  replay(replay: Pick<NewReplay, 'key' | 'ordered_key'>): string
  /** Seals for a person, or for the deployment if there is none. */
  seal(human_ref: string | undefined, place: Place, text: string): Uint8Array
  /** Binds a text that holds nothing personal to its place, readable. */
  stamp(place: Place, text: string): Uint8Array
}

/** Returns the key of an agent's tenant. */
export function tenantKey(agent_id: string, keys: Pick<RowKeys, 'name'>): number {
  return tenantNameKey(tenantOf(agent_id), keys)
}

export function tenantNameKey(tenant_id: string, keys: Pick<RowKeys, 'name'>): number {
  return tenant_id === DEFAULT_TENANT ? FIRST_TENANT_KEY : keys.name(tenant_id)
}

/** Returns null if there is nothing to seal. */
export function sealedText(
  keys: Pick<RowKeys, 'seal'>,
  human_ref: string | undefined,
  place: Place,
  text: string | undefined,
): Uint8Array | null {
  return text === undefined ? null : keys.seal(human_ref, place, text)
}

/** Finds the records that a batch itself creates, by id. The index is built on first use. */
export function createdIndexes({
  created,
}: Pick<Changes, 'created'>): (aar_id: string) => number | undefined {
  let indexes: Map<string, number> | undefined
  return (aar_id) => {
    indexes ??= new Map(Array.from(created, (record) => [record.aar_id, record.log_index]))
    return indexes.get(aar_id)
  }
}
