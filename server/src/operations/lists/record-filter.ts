import type { OperationCall } from '../operation-context.ts'
import { timeRange } from './pages.ts'

type RecordQuery = Pick<
  OperationCall<'listRecords'>['query'],
  'action' | 'resource' | 'result' | 'rating' | 'state' | 'evidence' | 'from' | 'to'
>

/** Returns the part of an action record filter that doesn't depend on the caller. */
export function recordFilter(query: RecordQuery) {
  const { action, resource, result, rating, state, evidence } = query
  return { action, resource, result, rating, state, evidence, ...timeRange(query) }
}
