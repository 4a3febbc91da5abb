import { randomInt } from 'node:crypto'
import { innerLimitsFor } from '../../domain/tokens/inner-limits.ts'
import type { OperationContext } from '../operation-context.ts'
import { newInnerLimits } from './minting.ts'

const CHANCES = 2 ** 32

/** Returns the inner limits of a verified token: what the tenant reviews, and everything under coercion. */
export async function reviewedLimits(
  tenant_id: string,
  is_under_duress: boolean,
  { accessControl }: Pick<OperationContext, 'accessControl'>,
): Promise<string> {
  const tenant = await accessControl.tenants.find(tenant_id)
  return newInnerLimits(innerLimitsFor(tenant?.review ?? {}, is_under_duress, randomInt(CHANCES) / CHANCES))
}
