import { DEFAULT_TENANT } from '@deputize/protocol'
import type { KeyRing } from '../keys/key-ring.ts'

/**
 * Stands for a person. `identity` says how the person is known, as `<kind>|<what that kind of proof gave>`. The same
 * person is somebody else in every tenant, so that no tenant can find out whom another one knows.
 */
export function humanRef(keys: Pick<KeyRing, 'digest'>, tenant_id: string, identity: string): string {
  return keys.digest('human', tenant_id === DEFAULT_TENANT ? identity : `tenant|${tenant_id}|${identity}`)
}

/** Who has an e-mail address. At L1 nobody has proven it. */
export function emailRef(keys: KeyRing, tenant_id: string, email: string): string {
  return humanRef(keys, tenant_id, `email|${email.normalize('NFC').toLowerCase()}`)
}

/** Who a sign-on provider says it is. An issuer holds no bar, so that no two people can share this text. */
export function subjectRef(keys: KeyRing, tenant_id: string, issuer: string, subject: string): string {
  return humanRef(keys, tenant_id, `oidc|${issuer}|${subject}`)
}
