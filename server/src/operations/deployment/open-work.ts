import { EVERY_TOKEN } from '../../store/port/filters.ts'
import type { OperationContext } from '../operation-context.ts'

interface OpenWork {
  /** Approval requests waiting for a person. */
  readonly open_approvals: number | undefined
  /** Records whose time is over but which haven't been expired yet. */
  readonly overdue_records: number | undefined
}

/** Counts what waits to be closed, up to a limit. Undefined if the store doesn't answer. */
export async function openWork({ reader, clock }: OperationContext): Promise<OpenWork> {
  const open = { ...EVERY_TOKEN, state: 'pending', from_ms: undefined, to_ms: undefined } as const
  try {
    const approvals = await reader.countApprovals(open, clock())
    return { open_approvals: approvals.count, overdue_records: await reader.countOverdue(clock()) }
  } catch {
    return { open_approvals: undefined, overdue_records: undefined }
  }
}
