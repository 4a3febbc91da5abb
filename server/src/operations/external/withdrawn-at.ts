import type { OperationContext } from '../operation-context.ts'
import type { VerificationDocument } from '../views/verification-view.ts'
import { findCheck } from './check-entries.ts'

/** Returns when an external provider took a verification back. Undefined if it didn't, and for the built-in engine. */
export async function withdrawnAt(
  { external }: VerificationDocument,
  context: Pick<OperationContext, 'reader'>,
): Promise<string | undefined> {
  if (external === undefined) return undefined
  return (await findCheck(external.check_id, context))?.document.fallen?.at
}
