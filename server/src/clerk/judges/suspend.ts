import { AuthorityError, loggedAgent, type Rank, type SuspendCode } from '@deputize/protocol'
import { assertRank, outranks, rankToResume } from '../../domain/rank.ts'
import { type Chain, renewalViews, stoppedChains } from '../../domain/tokens/token.ts'
import type { BatchState } from '../batch-state.ts'
import type { ResumeCommand, SuspendCommand } from '../command.ts'
import { reasonDigest, tokenLeafNames } from './revoke.ts'

export interface FreezeOutcome {
  /** False if the target was already in that state, which isn't an error. */
  readonly changed: boolean
  readonly at_ms: number
  /** The current rank of the suspension. Absent if nothing is suspended. */
  readonly suspended_by?: Rank
}

/** Who suspends, and why: in the words of a caller, or by a code when the service itself suspends. */
export interface SuspensionCause {
  readonly rank: Rank
  readonly reason?: string | undefined
  readonly code?: SuspendCode
}

/** Suspends a token with everything below it and with the token that it renews, or an agent with all its tokens. */
export function judgeSuspend(
  { target, keeps_renewed, ...cause }: SuspendCommand,
  batch: BatchState,
): FreezeOutcome {
  if ('agent_id' in target) return freezeAgent(target.agent_id, cause, batch)
  const asked = batch.requireChain(target.vat_jti)
  const [chain, ...renewed]: [Chain, ...Chain[]] = keeps_renewed === true ? [asked] : stoppedChains(asked)
  const outcome = freezeToken(chain, cause, batch)
  const others = renewed.map((one) => freezeToken(one, cause, batch))
  return { ...outcome, changed: outcome.changed || others.some(({ changed }) => changed) }
}

/**
 * Suspends the first token of a chain. A suspended token stays as it is, unless the new cause has a higher rank:
 * resuming it then needs that rank.
 */
export function freezeToken(chain: Chain, cause: SuspensionCause, batch: BatchState): FreezeOutcome {
  const [link] = chain
  const { token, state } = link
  if (state.suspended_at_ms !== undefined && !isRaised(state.suspended_rank, cause.rank))
    return unchanged(state.suspended_at_ms, state.suspended_rank)
  const isFirst = state.suspended_at_ms === undefined
  state.suspended_at_ms ??= batch.now_ms
  state.suspended_rank = cause.rank
  if (isFirst || cause.code !== undefined) state.suspend_code = cause.code
  batch.saveStanding(link)
  if (cause.reason !== undefined) batch.saveSuspendReason(token.jti, cause.reason)
  const told = {
    ...tokenLeafNames(chain),
    rank: cause.rank,
    ...(cause.code !== undefined && { code: cause.code }),
    ...reasonDigest(cause, token.human_ref, batch),
  }
  batch.appendLeaf('token.suspended', told, token.jti)
  return { changed: true, at_ms: batch.now_ms, suspended_by: cause.rank }
}

/** Suspends an agent, and every agent that shares a key with it: a key stands for a program, whatever names it uses. */
export function freezeAgent(agent_id: string, cause: SuspensionCause, batch: BatchState): FreezeOutcome {
  if (batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const outcome = freezeName(agent_id, cause, batch)
  for (const other of batch.sharedKeyHolders(agent_id))
    freezeName(other, { ...cause, reason: undefined }, batch, agent_id)
  return outcome
}

function freezeName(
  agent_id: string,
  cause: SuspensionCause,
  batch: BatchState,
  key_of?: string,
): FreezeOutcome {
  const marks = batch.agentMarks(agent_id)
  if (marks.suspended_at_ms !== undefined && !isRaised(marks.suspended_rank, cause.rank))
    return unchanged(marks.suspended_at_ms, marks.suspended_rank)
  marks.suspended_at_ms ??= batch.now_ms
  marks.suspended_rank = cause.rank
  batch.saveAgentMarks(agent_id)
  if (cause.reason !== undefined) batch.saveAgentSuspendReason(agent_id, cause.reason)
  batch.appendLeaf('agent.suspended', {
    agent_id: loggedAgent(agent_id),
    rank: cause.rank,
    ...(key_of !== undefined && { key_of: loggedAgent(key_of) }),
    ...reasonDigest(cause, undefined, batch),
  })
  return { changed: true, at_ms: batch.now_ms, suspended_by: cause.rank }
}

function isRaised(before: Rank | undefined, rank: Rank): boolean {
  return before === undefined || (before !== rank && outranks(rank, before))
}

function unchanged(at_ms: number, rank: Rank | undefined): FreezeOutcome {
  return { changed: false, at_ms, ...(rank !== undefined && { suspended_by: rank }) }
}

/** Resumes a token with those that it renews, or an agent, if the caller has the rank of the suspension or a higher one. */
export function judgeResume({ target, rank }: ResumeCommand, batch: BatchState): FreezeOutcome {
  return 'vat_jti' in target
    ? resumeToken(batch.requireChain(target.vat_jti), rank, batch)
    : resumeAgent(target.agent_id, rank, batch)
}

function resumeToken(chain: Chain, rank: Rank, batch: BatchState): FreezeOutcome {
  const suspended = renewalViews(chain).filter(([{ state }]) => state.suspended_at_ms !== undefined)
  for (const [{ state }] of suspended) assertRank(rank, rankToResume(state.suspended_rank), 'token')
  for (const view of suspended) thawToken(view, rank, batch)
  return { changed: suspended.length > 0, at_ms: batch.now_ms }
}

function thawToken(chain: Chain, rank: Rank, batch: BatchState): void {
  const [link] = chain
  const { token, state } = link
  state.suspended_at_ms = undefined
  state.suspended_rank = undefined
  state.suspend_code = undefined
  batch.saveStanding(link)
  batch.saveSuspendReason(token.jti, undefined)
  batch.appendLeaf('token.resumed', { ...tokenLeafNames(chain), rank }, token.jti)
}

function resumeAgent(agent_id: string, rank: Rank, batch: BatchState): FreezeOutcome {
  if (batch.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const marks = batch.agentMarks(agent_id)
  if (marks.suspended_at_ms === undefined) return { changed: false, at_ms: batch.now_ms }
  assertRank(rank, rankToResume(marks.suspended_rank), 'agent')
  marks.suspended_at_ms = undefined
  marks.suspended_rank = undefined
  batch.saveAgentMarks(agent_id)
  batch.saveAgentSuspendReason(agent_id, undefined)
  batch.appendLeaf('agent.resumed', { agent_id: loggedAgent(agent_id), rank })
  return { changed: true, at_ms: batch.now_ms }
}
