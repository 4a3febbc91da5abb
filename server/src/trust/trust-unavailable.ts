import { AuthorityError } from '@deputize/protocol'

/** Scores cannot be had now. The caller may ask again in a second. */
export function trustUnavailable(reason: string): AuthorityError {
  return new AuthorityError('trust_unavailable', undefined, { reason, retry_after_s: 1 })
}
