import type { OperationCall } from '../operation-context.ts'
import { timeRange } from './pages.ts'

type RecordQuery = Pick<
  OperationCall<'listRecords'>['query'],
  'action' | 'resource' | 'result' | 'rating' | 'state' | 'evidence' | 'from' | 'to'
>

/** The part of a filter for action records that does not depend on the caller. */
export function recordFilter(query: RecordQuery) {
  const { action, resource, result, rating, state, evidence } = query
  return { action, resource, result, rating, state, evidence, ...timeRange(query) }
}
