import { AuthorityError } from '@deputize/protocol'
import { checkId } from '../../verification/external/external-providers.ts'
import type { OperationContext } from '../operation-context.ts'
import { findCheck } from './check-entries.ts'
import { providerRefusal } from './provider-refusal.ts'
import { settleCheck } from './refresh-check.ts'
import { returnedPath } from './returned-path.ts'

/**
 * Handles the return of a person's browser from a provider that answers through it. Returns the path of the page where
 * the session continues. Only a pending check is decided: opening the same address again changes nothing.
 */
export async function takeReturn(
  name: string,
  query: URLSearchParams,
  context: OperationContext,
): Promise<string> {
  const opened = context.external.providers.find(name)
  if (opened?.provider.redeem === undefined) throw new AuthorityError('provider_unknown')
  const [state = '', second] = query.getAll('state')
  const check = second === undefined ? await findCheck(checkId(name, state), context) : undefined
  if (check === undefined) throw new AuthorityError('session_unknown')
  const { session_id, status, memory } = check.document
  if (status === 'pending') {
    const decision = await opened.provider
      .redeem(query, memory)
      .catch((error: unknown) => Promise.reject(providerRefusal(name, error)))
    await settleCheck(check, decision, context)
  }
  return returnedPath(session_id)
}
