import { DEFAULT_TENANT } from '@deputize/protocol'
import type { KeyRing } from '../keys/key-ring.ts'

/**
 * The pseudonym of a person. `identity` is `<kind>|<value>`, where the kind says how the person was identified. The same
 * person has a different ref in every tenant, so that tenants cannot find out whom they have in common.
 */
export function humanRef(keys: Pick<KeyRing, 'digest'>, tenant_id: string, identity: string): string {
  return keys.digest('human', tenant_id === DEFAULT_TENANT ? identity : `tenant|${tenant_id}|${identity}`)
}

/** The owner of an email address. At L1 the address is unverified. */
export function emailRef(keys: KeyRing, tenant_id: string, email: string): string {
  return humanRef(keys, tenant_id, `email|${email.normalize('NFC').toLowerCase()}`)
}

/** The subject that a sign-in provider names. An issuer never contains `|`, so two people cannot have the same identity. */
export function subjectRef(keys: KeyRing, tenant_id: string, issuer: string, subject: string): string {
  return humanRef(keys, tenant_id, `oidc|${issuer}|${subject}`)
}
