import type { Leaf, LeafType } from '../../log/leaf.ts'
import { tellAsk, tellClosing, tellRating, tellThreshold } from './actions.ts'
import { settleReplaced, tellDecision, tellHabitEnd, tellQuestion } from './approvals.ts'
import type { Place, Story, Telling } from './expected.ts'
import { LeafError } from './leaf-reader.ts'
import { tellRegistry } from './registry.ts'
import { tellAgent, tellErasure, tellFreeze, tellOwnerRevoked, tellRevoked } from './revocations.ts'
import { type BoundClaims, tellToken } from './tokens.ts'

type Teller = (
  leaf: Leaf,
  place: Place,
  story: Story,
  telling: Telling,
  claims: BoundClaims | undefined,
) => void

const TELLERS: Readonly<Record<LeafType, Teller>> = {
  'token.issued': tellToken,
  'token.delegated': tellToken,
  'token.renewed': tellToken,
  'token.revoked': tellRevoked,
  'token.suspended': tellFreeze,
  'token.resumed': tellFreeze,
  'agent.registered': tellAgent,
  'agent.suspended': tellFreeze,
  'agent.resumed': tellFreeze,
  'agent.revoked': tellOwnerRevoked,
  'human.revoked': tellOwnerRevoked,
  'human.erased': tellErasure,
  'approval.requested': tellQuestion,
  'approval.decided': tellDecision,
  'approval.habit_ended': tellHabitEnd,
  'budget.threshold': tellThreshold,
  'key.rotated': () => {},
  'registry.changed': tellRegistry,
  'action.recorded': tellAsk,
  'action.authorized': tellAsk,
  'action.denied': tellAsk,
  'action.completed': tellClosing,
  'action.cancelled': tellClosing,
  'action.expired': tellClosing,
  'action.rated': tellRating,
}

/**
 * Carries the story on by one leaf, and says which rules that broke. `claims` are those that the leaf of a token names by
 * their hash; without them the token is what the leaf itself says.
 */
export function tell(leaf: Leaf, place: Place, story: Story, claims?: BoundClaims): Telling {
  const telling: Telling = { wrong: [], settled: [] }
  if (!Object.hasOwn(TELLERS, leaf.type)) {
    telling.wrong.push(`tells of ${JSON.stringify(leaf.type)}, which this version does not know`)
    return telling
  }
  settleThresholds(leaf.type, story, telling)
  settleReplaced(leaf, story, telling)
  try {
    TELLERS[leaf.type](leaf, place, story, telling, claims)
  } catch (error) {
    // A leaf that somebody changed may hold anything where the rules expect their own.
    telling.wrong.push(error instanceof LeafError ? error.message : `cannot be followed (${error})`)
  }
  return telling
}

/** Settles what the last leaf left open. */
export function endStory(story: Story): Telling {
  const telling: Telling = { wrong: [], settled: [] }
  settleThresholds(undefined, story, telling)
  settleReplaced(undefined, story, telling)
  return telling
}

/** Thresholds are told of right after the action that reached them, or right before the completion that does. */
function settleThresholds(type: LeafType | undefined, story: Story, telling: Telling): void {
  if (type === 'budget.threshold') return
  if (story.crossed.length > 0)
    telling.wrong.push('stands where the log should tell of a budget that reached a threshold')
  story.crossed.length = 0
  if (type === 'action.completed') return
  if (story.announced.length > 0) telling.wrong.push('follows a threshold that no budget reached')
  story.announced.length = 0
}
