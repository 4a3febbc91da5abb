import { AuthorityError } from '@deputize/protocol'
import { PROVIDER_FAILURES, ProviderFailure } from '../../verification/external/port.ts'

/** Turns a failed provider call into a refusal: which provider, why in this service's words, and when to try again. */
export function providerRefusal(name: string, error: unknown): unknown {
  if (!(error instanceof ProviderFailure)) return error
  return new AuthorityError(
    'provider_unavailable',
    `${name}: ${PROVIDER_FAILURES[error.reason]}. Nothing is lost: try again, or name another provider.`,
    { provider: name, reason: error.reason, retry_after_s: error.retry_after_s ?? 5 },
  )
}
