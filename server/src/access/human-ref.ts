import { DEFAULT_TENANT } from '@deputize/protocol'
import type { KeyRing } from '../keys/key-ring.ts'

/**
 * Returns a person's pseudonym. `identity` is `<kind>|<value>`, where the kind is how the person was identified. The
 * same person has a different ref in every tenant, so that tenants can't find out which people they share.
 */
export function humanRef(keys: Pick<KeyRing, 'digest'>, tenant_id: string, identity: string): string {
  return keys.digest('human', tenant_id === DEFAULT_TENANT ? identity : `tenant|${tenant_id}|${identity}`)
}

/** Returns the ref of an email address's owner. At L1 the address is unverified. */
export function emailRef(keys: KeyRing, tenant_id: string, email: string): string {
  return humanRef(keys, tenant_id, `email|${email.normalize('NFC').toLowerCase()}`)
}

/** Returns the ref of a provider's subject. An issuer never contains `|`, so no two people have the same identity. */
export function subjectRef(keys: KeyRing, tenant_id: string, issuer: string, subject: string): string {
  return humanRef(keys, tenant_id, `oidc|${issuer}|${subject}`)
}
