import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

export const getReadiness: Handler<'getReadiness'> = async (_call, { clerk, isShuttingDown }) => {
  if (isShuttingDown()) throw new AuthorityError('shutting_down')
  if (!clerk.isHealthy()) throw new AuthorityError('storage_unavailable')
  return { status: 'ready' }
}
