import type { Leaf, LeafType } from '../../log/leaf.ts'
import { applyAction, applyClosing, applyRating, applyThreshold } from './actions.ts'
import { applyAlert, checkAlertSuspension } from './alerts.ts'
import {
  applyApprovalRequest,
  applyDecision,
  applyEndorsement,
  applyEscalation,
  finishReplaced,
} from './approvals.ts'
import type { LeafEffects, LeafPosition, LeafStep, ReplayState } from './expected.ts'
import { applyGrantEnd, applyHabitEnd } from './habits.ts'
import { applyAgent } from './identities.ts'
import { LeafError } from './leaf-reader.ts'
import { checkOwnVouches } from './own-vouches.ts'
import { applyAccessMode, applyEndpointDisabled, applyRegistryChange, applySession } from './registry.ts'
import { applyRestored } from './restored.ts'
import {
  applyErasure,
  applyFreeze,
  applyOwnerRevocation,
  applyRefusal,
  applyRelease,
  applyRevocation,
} from './revocations.ts'
import { applyKeyRotation, applyKeyWithdrawal } from './signing-keys.ts'
import { applyToken, type BoundTokenRow } from './tokens.ts'
import { applyAnchor, applyVouch, applyVouchChange, applyWithdrawal } from './vouches.ts'

type ApplyType = (step: LeafStep, row: BoundTokenRow | undefined) => void

const APPLY_BY_TYPE: Readonly<Record<LeafType, ApplyType>> = {
  'token.issued': applyToken,
  'token.delegated': applyToken,
  'token.renewed': applyToken,
  'token.revoked': applyRevocation,
  'token.suspended': applyFreeze,
  'token.resumed': applyFreeze,
  'token.released': applyRelease,
  'agent.registered': applyAgent,
  'agent.suspended': applyFreeze,
  'agent.resumed': applyFreeze,
  'agent.revoked': applyOwnerRevocation,
  'human.revoked': applyOwnerRevocation,
  'human.refused': applyRefusal,
  'human.accepted': applyRefusal,
  'human.erased': applyErasure,
  'approval.requested': applyApprovalRequest,
  'approval.endorsed': applyEndorsement,
  'approval.escalated': applyEscalation,
  'approval.decided': applyDecision,
  'approval.habit_ended': applyHabitEnd,
  'approval.grant_ended': applyGrantEnd,
  'budget.threshold': applyThreshold,
  'key.rotated': applyKeyRotation,
  'key.withdrawn': applyKeyWithdrawal,
  'registry.changed': applyRegistryChange,
  'session.begun': applySession,
  'session.ended': applySession,
  'access.changed': applyAccessMode,
  'deployment.restored': applyRestored,
  'webhook.disabled': applyEndpointDisabled,
  'action.recorded': applyAction,
  'action.authorized': applyAction,
  'action.denied': applyAction,
  'action.completed': applyClosing,
  'action.cancelled': applyClosing,
  'action.expired': applyClosing,
  'action.rated': applyRating,
  'vouch.made': applyVouch,
  'vouch.changed': applyVouchChange,
  'vouch.withdrawn': applyWithdrawal,
  'anchor.named': applyAnchor,
  'anchor.removed': applyAnchor,
  'alert.fired': applyAlert,
}

/**
 * Applies one leaf and reports the rules that it violates. `row` is what a token's row adds to its leaf; without it the
 * token is rebuilt from the leaf alone.
 */
export function applyLeaf(
  leaf: Leaf,
  { log_index, at_ms }: LeafPosition,
  replay: ReplayState,
  row?: BoundTokenRow,
): LeafEffects {
  const effects: LeafEffects = { violations: [], settled: [] }
  if (!Object.hasOwn(APPLY_BY_TYPE, leaf.type)) {
    effects.violations.push(`has the type ${JSON.stringify(leaf.type)}, which this version does not know`)
    return effects
  }
  checkThresholds(leaf.type, replay, effects)
  checkSuspension(leaf, replay, effects)
  checkAlertSuspension(leaf, replay, effects)
  checkOwnVouches(leaf, replay, effects)
  finishReplaced(leaf, replay, effects)
  try {
    APPLY_BY_TYPE[leaf.type]({ leaf, log_index, at_ms, replay, effects }, row)
  } catch (error) {
    // A leaf that was tampered with may hold anything in place of the valid values that the rules expect.
    effects.violations.push(error instanceof LeafError ? error.message : `can't be applied (${error})`)
  }
  return effects
}

/** Checks for leaves that should have followed the last one. */
export function endReplay(replay: ReplayState): LeafEffects {
  const effects: LeafEffects = { violations: [], settled: [] }
  checkThresholds(undefined, replay, effects)
  checkSuspension(undefined, replay, effects)
  checkAlertSuspension(undefined, replay, effects)
  checkOwnVouches(undefined, replay, effects)
  finishReplaced(undefined, replay, effects)
  return effects
}

/**
 * Checks that threshold leaves directly follow the action that reaches them, or directly precede the completion that
 * does.
 */
function checkThresholds(type: LeafType | undefined, replay: ReplayState, effects: LeafEffects): void {
  if (type === 'budget.threshold') return
  if (replay.due_thresholds.length > 0)
    effects.violations.push('is in the place of the leaf of a budget that reached a threshold')
  replay.due_thresholds.length = 0
  if (type === 'action.completed') return
  if (replay.early_thresholds.length > 0)
    effects.violations.push('follows a threshold that no budget reached')
  replay.early_thresholds.length = 0
}

/**
 * Checks that the service suspends a token directly after an action that cost more than it was authorized for, and only
 * then.
 */
function checkSuspension(leaf: Leaf | undefined, replay: ReplayState, effects: LeafEffects): void {
  const due = replay.due_suspension
  replay.due_suspension = undefined
  const suspended = leaf?.code === 'exceeded_authorization' && leaf.rank === 'person' ? leaf.token : undefined
  if (due === suspended) return
  effects.violations.push(
    due === undefined
      ? 'suspends a token for a spend that was not exceeded'
      : 'is in the place of the suspension of a token that exceeded its authorization',
  )
}
