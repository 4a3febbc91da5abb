import { AuthorityError } from '@deputize/protocol'
import type { OperationContext } from '../operation-context.ts'

/** Refuses a tree size that the log has not reached yet. */
export async function assertLogSize(size: number, { reader }: OperationContext): Promise<void> {
  const head = await reader.log.head()
  if (size > head.size)
    throw new AuthorityError(
      'log_entry_unknown',
      `The log has ${head.size} entries. Request a size up to that, not ${size}.`,
    )
}
