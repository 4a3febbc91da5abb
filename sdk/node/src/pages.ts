import { call, type Input, type Row } from './call.ts'
import type { CallOptions } from './call-types.ts'
import { OPERATIONS, type OperationId } from './generated/operations.ts'
import type { Connection } from './request.ts'

/** A page as the service answers it: of a list, or of the log. */
interface Page {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly next_cursor?: string | null
  readonly next_start?: number
}

/** Every entry of a list, page after page. A page is asked for only when somebody wants to see it. */
export async function* everyEntry(
  connection: Connection,
  id: OperationId,
  input: Input = {},
  options: CallOptions = {},
): AsyncGenerator<unknown> {
  const { pages }: Row = OPERATIONS[id]
  for (let next = input; ; ) {
    const page = (await call(connection, id, next, options)) as Page // the table says that it is one
    yield* page.data
    if (!page.has_more) return
    next = pages === 'start' ? { ...input, start: page.next_start } : { ...input, cursor: page.next_cursor }
  }
}
