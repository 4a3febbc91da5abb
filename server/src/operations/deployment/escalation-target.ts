import { invalidField } from '@deputize/protocol'
import type { TenantDocument } from '../../access/tenants.ts'

type GivenSettings = Partial<Pick<TenantDocument, 'reviewers' | 'messages'>>

/**
 * Refuses escalation targets that aren't reviewers of the tenant: no one else may decide for others, so a message to
 * them would be a dead end. Checked when either list changes. Whether the next person differs from the first is checked
 * for each question.
 */
export function assertEscalation({ reviewers, messages }: TenantDocument, given: GivenSettings): void {
  if (given.messages === undefined && given.reviewers === undefined) return
  const stranger = messages?.escalate_to?.findIndex((ref) => !reviewers.includes(ref)) ?? -1
  if (stranger < 0) return
  if (given.messages === undefined)
    throw invalidField('/reviewers', 'must still name everyone in messages.escalate_to. Change that first')
  throw invalidField(
    `/messages/escalate_to/${stranger}`,
    'must be a reviewer of this tenant: only reviewers may decide for others. Add the person to reviewers first',
  )
}
