import { OPERATIONS } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'

/** Returns the address of the status list. A token names it in `status`, and the list names itself in `sub`. */
export function statusListUrl({ public_url }: OperationContext): string {
  return `${public_url()}${OPERATIONS.getStatusList.path}`
}
