import { ID_PREFIXES } from '@deputize/protocol'
import type { Deputy } from '@deputize/sdk'
import { UsageError } from '../../client/exit.ts'

/** IDs start with their time and end with random bits, at least 36 in this many characters. */
const ENDING_LENGTH = 8
/** At most this many of the newest approvals are searched for an ending. */
const MOST_SEARCHED = 1000

export function idEnding(id: string): string {
  return id.slice(-ENDING_LENGTH)
}

/** Returns the ID with this ending. Anything other than an ending, such as a whole ID, is returned unchanged. */
export async function approvalWithEnding(typed: string, client: Deputy): Promise<string> {
  if (typed.startsWith(ID_PREFIXES.approval) || typed.length !== ENDING_LENGTH) return typed
  const found: string[] = []
  let searched = 0
  for await (const { approval_id } of client.listApprovals.all({ limit: 100 })) {
    if (approval_id.endsWith(typed)) found.push(approval_id)
    searched += 1
    if (searched === MOST_SEARCHED) break
  }
  const [id, ...others] = found
  if (id === undefined)
    throw new UsageError(
      `None of the newest ${MOST_SEARCHED} approvals ends with ${typed}. Use the whole ID.`,
    )
  if (others.length > 0) throw new UsageError(`Several approvals end with ${typed}: ${found.join(', ')}.`)
  return id
}
