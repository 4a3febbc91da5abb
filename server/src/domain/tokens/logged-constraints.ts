import type { Constraints } from '@deputize/protocol'

/**
 * Returns the constraints of a token that its leaf shows. Leaves are public, so they leave out the callers' own x_
 * members and the limits on arguments, which may name accounts or people. The hash of the claims in the leaf covers
 * both.
 */
export function loggedConstraints(constraints: Constraints): Constraints {
  return Object.fromEntries(
    Object.entries(constraints).filter(([name]) => name !== 'arguments' && !name.startsWith('x_')),
  )
}
