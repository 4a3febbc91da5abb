import type { Caller } from '../../access/caller.ts'
import type { Page } from '../../store/port/pages.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import type { OperationContext } from '../operation-context.ts'
import { entriesOfRefs } from './entries-of-refs.ts'
import { pageRequest } from './pages.ts'

interface EntriesQuery {
  readonly human_ref?: string
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Returns registry entries of the people whom a caller may see: of one person, named by any of their refs, or of the
 * tenant. People see their own entries under all their refs. The access table prevents them from naming anyone else.
 */
export async function listedEntries(
  kind: 'verification' | 'passkey',
  caller: Caller,
  query: EntriesQuery,
  context: OperationContext,
): Promise<Page<KeptEntry>> {
  const { tenant_id } = caller
  const page = pageRequest(query)
  const named = query.human_ref ?? (caller.role === 'human' ? caller.human_ref : undefined)
  if (named === undefined) return context.reader.registry.list(kind, { tenant_id }, page)
  const refs = await everyRefOf(named, context)
  return entriesOfRefs(kind, { tenant_id, refs }, page, context)
}
