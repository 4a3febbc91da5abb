import { AuthorityError } from '@deputize/protocol'

/** Builds a `scope_widening` error that lists what exceeds the limit, as text for people and as data for programs. */
export function wideningError(
  widening: readonly string[],
  limit = "The request goes beyond the parent token's authority",
): AuthorityError {
  return new AuthorityError('scope_widening', `${limit}: ${widening.join(', ')}.`, { widening })
}
