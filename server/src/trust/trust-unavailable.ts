import { AuthorityError } from '@deputize/protocol'

/** Returns the refusal if scores aren't available. The caller may retry in a second. */
export function trustUnavailable(reason: string): AuthorityError {
  return new AuthorityError('trust_unavailable', undefined, { reason, retry_after_s: 1 })
}
