import { EVERY_TOKEN } from '../../store/port.ts'
import type { OperationContext } from '../operation-context.ts'

/** How many approval requests wait for a person, counted up to a limit. Undefined: the store does not answer. */
export async function openApprovals({ reader, clock }: OperationContext): Promise<number | undefined> {
  const open = { ...EVERY_TOKEN, state: 'pending', from_ms: undefined, to_ms: undefined } as const
  try {
    return (await reader.countApprovals(open, clock())).count
  } catch {
    return undefined
  }
}
