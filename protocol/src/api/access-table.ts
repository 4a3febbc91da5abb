import type { Access } from './access.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS, type OperationId } from './operations.ts'

/** Who may call each operation in keyed mode, collected from the rows. An operation without an entry cannot be called. */
export const ACCESS = Object.fromEntries(
  Object.entries<Operation>(OPERATIONS).map(([id, { access }]) => [id, access]),
) as Readonly<Record<OperationId, Access>> // the names are the keys of the table

/** Operations without an entry, and entries without an operation. Both must be empty before a server starts. */
export function accessGaps(): { readonly missing: string[]; readonly idle: string[] } {
  return {
    missing: Object.keys(OPERATIONS).filter((id) => !Object.hasOwn(ACCESS, id)),
    idle: Object.keys(ACCESS).filter((id) => !Object.hasOwn(OPERATIONS, id)),
  }
}
