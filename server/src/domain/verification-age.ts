import { type Claims, LEVELS } from '@deputize/protocol'

/** When the person behind a token was verified, in seconds since 1970. Undefined without a biometric verification. */
export function verifiedAtSeconds({
  svc_verification,
}: Pick<Claims, 'svc_verification'>): number | undefined {
  return svc_verification?.verified_at
}

/** The last instant that a verification can carry a token to, in seconds since 1970. A renewal does not move it. */
export function verificationEnd(claims: Pick<Claims, 'svc_verification'>): number {
  const verified_at_s = verifiedAtSeconds(claims)
  return verified_at_s === undefined ? Number.POSITIVE_INFINITY : verified_at_s + LEVELS.L3.max_lifetime_s
}
