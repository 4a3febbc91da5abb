import { DEFAULT_TENANT } from '@deputy/protocol'
import type { KeyRing } from '../keys/key-ring.ts'

/**
 * Stands for a person. `identity` says how the person is known, as `<kind>|<what that kind of proof gave>`. The same
 * person is somebody else in every tenant, so that no tenant can find out whom another one knows.
 */
export function humanRef(keys: Pick<KeyRing, 'digest'>, tenant_id: string, identity: string): string {
  return keys.digest('human', tenant_id === DEFAULT_TENANT ? identity : `tenant|${tenant_id}|${identity}`)
}
