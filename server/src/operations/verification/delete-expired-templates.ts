import { type BiometricDocument, templateRemoval } from '../biometric-entries.ts'
import type { OperationContext } from '../operation-context.ts'
import { eachEntry } from '../pages.ts'

const MOST_AT_ONCE = 500

/**
 * Deletes the templates whose time is over, each with a leaf of its own. A template that its person renews meanwhile is
 * kept, because the removal names the version that was read. Returns how many were deleted.
 */
export async function deleteExpiredTemplates({
  reader,
  clerk,
  clock,
}: Pick<OperationContext, 'reader' | 'clerk' | 'clock'>): Promise<number> {
  const now_ms = clock()
  const removals = []
  for await (const entry of eachEntry((page) => reader.registry.list('biometric', {}, page))) {
    const { retention_until } = JSON.parse(entry.document) as BiometricDocument // only `biometric-entries` writes such entries
    if (Date.parse(retention_until) <= now_ms) removals.push(templateRemoval(entry))
  }
  for (let from = 0; from < removals.length; from += MOST_AT_ONCE)
    await clerk.submit({ kind: 'many', items: removals.slice(from, from + MOST_AT_ONCE) })
  return removals.length
}
