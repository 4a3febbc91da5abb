import { OPERATIONS, type OperationId } from '../generated/operations.ts'
import { type CallInput, call, type OperationRow } from './call.ts'
import type { CallOptions } from './call-types.ts'
import type { Connection } from './request.ts'

/** A page of a list or of the log. */
interface PagedResponse {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly next_cursor?: string | number | null
  readonly next_start?: number
}

/** Iterates over every entry of a list. A page is fetched only when the iteration reaches it. */
export async function* everyEntry(
  connection: Connection,
  id: OperationId,
  input: CallInput = {},
  options: CallOptions = {},
): AsyncGenerator<unknown> {
  const { pages }: OperationRow = OPERATIONS[id]
  for (let next = input; ; ) {
    const page = (await call(connection, id, next, options)) as PagedResponse // OPERATIONS marks this operation as paged
    yield* page.data
    if (!page.has_more) return
    next = {
      ...input,
      ...(pages === 'start' ? { start: page.next_start } : { [pages ?? 'cursor']: page.next_cursor }),
    }
  }
}
