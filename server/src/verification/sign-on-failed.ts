import { AuthorityError, SIGN_ON_REASONS, type SignOnReason } from '@deputize/protocol'

/** Returns the refusal of a sign-in, with the reason as a member of the problem. */
export function signOnFailed(reason: SignOnReason): AuthorityError {
  return new AuthorityError('sign_on_failed', SIGN_ON_REASONS[reason], { reason })
}

/** Returns the reason of a refusal made by `signOnFailed`, or undefined for any other error. */
export function signOnReason(error: unknown): SignOnReason | undefined {
  if (!(error instanceof AuthorityError) || error.code !== 'sign_on_failed') return undefined
  const { reason } = error.members
  return isReason(reason) ? reason : undefined
}

function isReason(value: unknown): value is SignOnReason {
  return typeof value === 'string' && Object.hasOwn(SIGN_ON_REASONS, value)
}
