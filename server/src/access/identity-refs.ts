import type { KeyRing } from '../keys/key-ring.ts'
import { humanRef } from './human-ref.ts'

/** Who has an e-mail address. At L1 nobody has proven it. */
export function emailRef(keys: KeyRing, tenant_id: string, email: string): string {
  return humanRef(keys, tenant_id, `email|${email.normalize('NFC').toLowerCase()}`)
}

/** Who a sign-on provider says it is. An issuer holds no bar, so that no two people can share this text. */
export function subjectRef(keys: KeyRing, tenant_id: string, issuer: string, subject: string): string {
  return humanRef(keys, tenant_id, `oidc|${issuer}|${subject}`)
}
