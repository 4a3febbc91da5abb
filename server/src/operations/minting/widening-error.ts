import { AuthorityError } from '@deputize/protocol'

/** `scope_widening` with every entry that goes beyond the limit, for people in the text and for programs in `widening`. */
export function wideningError(
  widening: readonly string[],
  limit = "The request goes beyond the parent token's authority",
): AuthorityError {
  return new AuthorityError('scope_widening', `${limit}: ${widening.join(', ')}.`, { widening })
}
