import { type Claims, LEVELS } from '@deputize/protocol'

/** Returns when the person behind a token was verified, in seconds since 1970. Undefined without a verification. */
export function verifiedAtSeconds({
  svc_verification,
}: Pick<Claims, 'svc_verification'>): number | undefined {
  return svc_verification?.verified_at
}

/** Returns the latest end of a token based on a verification, in seconds since 1970. A renewal doesn't move it. */
export function verificationEnd(claims: Pick<Claims, 'svc_verification' | 'svc_assurance_level'>): number {
  const verified_at_s = verifiedAtSeconds(claims)
  if (verified_at_s === undefined) return Number.POSITIVE_INFINITY
  return verified_at_s + LEVELS[claims.svc_assurance_level].max_lifetime_s
}
