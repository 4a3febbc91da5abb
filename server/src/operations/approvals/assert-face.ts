import { AuthorityError, FACE_REASONS, invalidField, toMicroUsd } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { type FaceApprovalRule, faceObjection, needsFace } from '../../domain/verification/face-approval.ts'
import { everyRefOf } from '../identity/proven-person.ts'
import type { OperationContext } from '../operation-context.ts'

interface FaceDecision {
  readonly approval_id: string
  readonly decision: string
  readonly verification_id?: string | undefined
  readonly grant?: { readonly max_spend_usd?: number } | undefined
}

/**
 * Refuses an approval that the tenant requires to be confirmed with a face, unless the person has recently passed a
 * verification for this very approval. A verification can't be used for another approval, and a person approves a
 * request once. Denying never needs a face, and neither does the safety desk, whose staff aren't people of the tenant.
 */
export async function assertFace(
  { approval_id, decision, verification_id, grant }: FaceDecision,
  caller: Caller,
  context: OperationContext,
): Promise<void> {
  if (decision !== 'approved' || caller.role === 'safety') return
  const settings = (await context.accessControl.tenants.find(caller.tenant_id))?.face_approvals
  if (settings === undefined || settings === null) return
  const approval = await context.reader.approval(approval_id)
  // The decision itself refuses an approval that doesn't exist.
  if (approval === undefined) return
  if (grant !== undefined) assertNeedsNoFace(grant, approval, settings)
  if (!needsFace(settings, approval)) return
  const verification = await verificationOf(verification_id, caller, context)
  const refs = await refsOf(caller, approval, context)
  const reason = faceObjection(verification, approval, refs, settings, context.clock())
  if (reason === undefined) return
  const { max_age_s } = settings
  throw new AuthorityError('face_required', FACE_REASONS[reason], { reason, approval_id, max_age_s })
}

/** Refuses a grant that would later approve something that needs a face: this action or a more expensive one. */
function assertNeedsNoFace(
  { max_spend_usd }: NonNullable<FaceDecision['grant']>,
  approval: StoredApproval,
  settings: FaceApprovalRule,
): void {
  if (needsFace(settings, approval))
    throw invalidField('/grant', 'cannot be given for an action that needs a face verification each time')
  if (max_spend_usd === undefined) return
  if (needsFace(settings, { action: approval.action, spend_micro_usd: toMicroUsd(max_spend_usd) }))
    throw invalidField(
      '/grant/max_spend_usd',
      `must be at most ${settings.above_usd}: higher amounts need a face verification each time`,
    )
}

async function verificationOf(
  verification_id: string | undefined,
  { tenant_id }: Caller,
  { reader }: OperationContext,
) {
  if (verification_id === undefined) return undefined
  const entry = await reader.registry.entry('verification', verification_id)
  return entry?.document === undefined || entry.tenant_id !== tenant_id
    ? undefined
    : JSON.parse(entry.document)
}

/** In open mode every caller is the agent's person. Sessions use the ref that the person enrolled with. */
async function refsOf(
  caller: Caller,
  { human_ref }: StoredApproval,
  context: OperationContext,
): Promise<readonly string[]> {
  return caller.role === 'human' ? caller.human_refs : everyRefOf(human_ref, context)
}
