/** On the wire, a cursor names its list, because a position in one list means nothing in another. */
import type { Operation, OperationId } from '@deputize/protocol'
import { foreignCursor } from '../operations/lists/pages.ts'

/** Whether the operation is a list that is read page by page with a cursor. */
export function isPaged({ query }: Operation): boolean {
  const { properties = {} } = (query ?? {}) as { readonly properties?: object } // queries are objects
  return 'cursor' in properties
}

/** Returns the query as the operation reads it. Throws if the cursor is from another list. */
export function ownQuery(id: OperationId, query: unknown): unknown {
  const { cursor, ...rest } = query as { readonly cursor?: string } // the schema of the row was checked
  if (cursor === undefined) return query
  const prefix = `${id}.`
  if (!cursor.startsWith(prefix)) throw foreignCursor()
  return { ...rest, cursor: cursor.slice(prefix.length) }
}

/** Returns the answer as callers see it, with the list named in its cursor. */
export function namedAnswer(id: OperationId, answer: unknown): unknown {
  const page = answer as { readonly next_cursor: string | null } // every paged list answers with one
  return page.next_cursor === null ? page : { ...page, next_cursor: `${id}.${page.next_cursor}` }
}
