/** The data for the page of one approval request, and for the questions on a person's page. */
import { type AskedBecause, tenantOf } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import { approvalCauses, type StoredApproval } from '../../domain/approvals/approval.ts'
import { approverRef, type Decider } from '../../domain/approvals/approvers.ts'
import { type FaceApprovalRule, needsFace } from '../../domain/verification/face-approval.ts'
import { type NotificationSettings, settingsOf } from '../channels/notification-settings.ts'
import type { OperationContext } from '../operation-context.ts'
import { tokenStatus } from '../views/token-view.ts'
import { deciderOf } from './approver-roles.ts'
import { type QuestionDetails, questionDetails } from './question-details.ts'

export interface OpenQuestion {
  readonly approval: StoredApproval
  readonly decider: Decider
  readonly details: QuestionDetails
  /** Why the agent's tokens ask. Empty if an alert or a review asks. */
  readonly causes: readonly AskedBecause[]
  /** Whether the tenant requires the approval to be confirmed with a face. */
  readonly needs_face: boolean
  /** Whether the person can stop the agent: it acts for them, and its token hasn't ended. */
  readonly may_stop: boolean
  readonly time_zone: string | undefined
}

/** The person who views questions. */
export interface QuestionViewer {
  readonly human_refs: readonly string[]
  readonly decider: Decider
  readonly face_approvals: FaceApprovalRule | undefined
  readonly settings: NotificationSettings
}

export async function questionViewer(
  person: HumanCaller,
  context: OperationContext,
): Promise<QuestionViewer> {
  const { tenant_id, human_ref, human_refs } = person
  const { settings } = await settingsOf({ tenant_id, owner: human_ref }, context.reader.registry)
  return {
    human_refs,
    decider: await deciderOf(person, context),
    face_approvals: (await context.accessControl.tenants.find(tenant_id))?.face_approvals ?? undefined,
    settings,
  }
}

/** Returns a request that the person may decide or owns. Undefined for any other, existing or not. */
export async function openQuestion(
  approval_id: string,
  person: HumanCaller,
  context: OperationContext,
): Promise<OpenQuestion | undefined> {
  const approval = await context.reader.approval(approval_id)
  if (approval === undefined || tenantOf(approval.agent_id) !== person.tenant_id) return undefined
  const viewer = await questionViewer(person, context)
  const isOwner = person.human_refs.includes(approval.human_ref)
  const mayDecide =
    viewer.decider.is_reviewer || approverRef(approval.approvers, viewer.decider) !== undefined
  return isOwner || mayDecide ? questionFor(viewer, approval, context) : undefined
}

/** Returns a request as this viewer sees it. */
export async function questionFor(
  { human_refs, decider, face_approvals, settings }: QuestionViewer,
  approval: StoredApproval,
  context: OperationContext,
): Promise<OpenQuestion> {
  const chain = await context.reader.chain(approval.vat_jti)
  const hasEnded = chain === undefined || ['revoked', 'expired'].includes(tokenStatus(chain, context.clock()))
  return {
    approval,
    decider,
    details: await questionDetails(approval, context, chain),
    causes: chain === undefined ? [] : approvalCauses(approval, chain),
    needs_face: face_approvals !== undefined && needsFace(face_approvals, approval),
    may_stop: human_refs.includes(approval.human_ref) && !hasEnded,
    time_zone: settings.time_zone,
  }
}
