import { AuthorityError, DEFAULT_TENANT } from '@deputize/protocol'
import type { HumanCaller } from '../../../access/caller.ts'
import type { OperationContext } from '../../operation-context.ts'
import { FRESH_SIGN_IN_S } from './login-flow.ts'

/** Refuses a person who signed in too long ago, and names the page where they sign in to their tenant again. */
export function assertRecentSignIn(
  { auth_time_ms, tenant_id }: Pick<HumanCaller, 'auth_time_ms' | 'tenant_id'>,
  { clock }: Pick<OperationContext, 'clock'>,
): void {
  if (clock() - auth_time_ms <= FRESH_SIGN_IN_S * 1000) return
  const of = tenant_id === DEFAULT_TENANT ? '' : `&tenant=${encodeURIComponent(tenant_id)}`
  throw new AuthorityError('sign_on_too_old', undefined, {
    sign_in_path: `/sign-in?fresh=1&return_to=/me${of}`,
  })
}
