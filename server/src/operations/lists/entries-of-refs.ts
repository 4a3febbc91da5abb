import type { Page, PageRequest } from '../../store/port/pages.ts'
import type { KeptEntry, RegistryKind } from '../../store/port/registry.ts'
import type { OperationContext } from '../operation-context.ts'

interface Owners {
  readonly tenant_id: string
  readonly refs: readonly string[]
}

/** Returns a page of the registry entries under several refs of a person, most recently changed first. */
export async function entriesOfRefs(
  kind: RegistryKind,
  { tenant_id, refs }: Owners,
  page: PageRequest,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<Page<KeptEntry>> {
  const pages = await Promise.all(refs.map((owner) => reader.registry.list(kind, { tenant_id, owner }, page)))
  // Below the end of a list's page, entries of that list are missing.
  const end = Math.max(...pages.map(({ before }) => before ?? -1))
  const found = pages
    .flatMap(({ entries }) => entries)
    .filter(({ log_index }) => log_index >= end)
    .sort((a, b) => b.log_index - a.log_index)
  const entries = found.slice(0, page.limit)
  if (found.length > page.limit) return { entries, before: entries.at(-1)?.log_index }
  return { entries, before: end < 0 ? undefined : end }
}
