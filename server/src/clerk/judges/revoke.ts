import { AuthorityError, loggedAgent, tokenRef } from '@deputize/protocol'
import { isRevoked } from '../../domain/decision.ts'
import type { Chain } from '../../domain/token.ts'
import type { Ledger } from '../batch-state.ts'
import type { FreezeCommand, RevokeAllCommand, RevokeCommand } from '../command.ts'

export interface RevokeOutcome {
  readonly already_revoked: boolean
  readonly jti: string
  readonly revoked_at_ms: number
  readonly revoked_count: number
  readonly provenance_ref: string
}

/** One mark on one token silences everything below it, because validity asks every ancestor. */
export function revoke(command: RevokeCommand, ledger: Ledger): RevokeOutcome {
  const chain = known(command.vat_jti, ledger)
  const [link] = chain
  const { token, state } = link
  const { jti, provenance_ref } = token
  if (state.revoked_at_ms !== undefined) {
    return {
      already_revoked: true,
      jti,
      revoked_at_ms: state.revoked_at_ms,
      revoked_count: 0,
      provenance_ref,
    }
  }

  const revoked_count = chain.some(isRevoked) ? 0 : ledger.countLive(jti)
  state.revoked_at_ms = ledger.now_ms
  ledger.touch([link])
  if (command.reason !== undefined) ledger.giveReason(jti, command.reason)
  ledger.log('token.revoked', { ...names(chain), ...digestOf(command, token.human_ref, ledger) })
  return { already_revoked: false, jti, revoked_at_ms: ledger.now_ms, revoked_count, provenance_ref }
}

export interface RevokeAllOutcome {
  readonly revoked_at_ms: number
  readonly revoked_count: number
}

/** One mark on the owner revokes every token issued to them so far. Later ones are not touched. */
export function revokeAll(command: RevokeAllCommand, ledger: Ledger): RevokeAllOutcome {
  const { owner } = command
  const revoked_count = ledger.countLiveOf(owner)
  const below = ledger.nextIndex()
  if ('agent_id' in owner) {
    if (ledger.tally(owner.agent_id) === undefined) throw new AuthorityError('agent_unknown')
    ledger.agentMarks(owner.agent_id).revoked_below = below
    ledger.markAgent(owner.agent_id)
    ledger.log('agent.revoked', {
      agent_id: loggedAgent(owner.agent_id),
      ...digestOf(command, undefined, ledger),
    })
  } else {
    const marks = ledger.humanMarks(owner.human_ref)
    if (marks === undefined) throw new AuthorityError('human_unknown')
    marks.revoked_below = below
    ledger.markHuman(owner.human_ref)
    ledger.log('human.revoked', { human_ref: owner.human_ref, ...digestOf(command, owner.human_ref, ledger) })
  }
  return { revoked_at_ms: ledger.now_ms, revoked_count }
}

export interface FreezeOutcome {
  /** Whether anything changed: suspending twice is no error. */
  readonly changed: boolean
  readonly at_ms: number
}

/** Freezes a token with everything below it, or an agent with everything it holds; lifts the freeze again. */
export function freeze(command: FreezeCommand, ledger: Ledger): FreezeOutcome {
  const { kind, target } = command
  return 'vat_jti' in target
    ? freezeToken(kind, known(target.vat_jti, ledger), ledger)
    : freezeAgent(kind, target.agent_id, ledger)
}

function freezeToken(kind: FreezeCommand['kind'], chain: Chain, ledger: Ledger): FreezeOutcome {
  const [link] = chain
  const { state } = link
  if ((state.suspended_at_ms !== undefined) === (kind === 'suspend')) {
    return { changed: false, at_ms: state.suspended_at_ms ?? ledger.now_ms }
  }
  state.suspended_at_ms = kind === 'suspend' ? ledger.now_ms : undefined
  ledger.touch([link])
  ledger.log(kind === 'suspend' ? 'token.suspended' : 'token.resumed', {
    ...names(chain),
  })
  return { changed: true, at_ms: ledger.now_ms }
}

function freezeAgent(kind: FreezeCommand['kind'], agent_id: string, ledger: Ledger): FreezeOutcome {
  if (ledger.tally(agent_id) === undefined) throw new AuthorityError('agent_unknown')
  const marks = ledger.agentMarks(agent_id)
  if ((marks.suspended_at_ms !== undefined) === (kind === 'suspend')) {
    return { changed: false, at_ms: marks.suspended_at_ms ?? ledger.now_ms }
  }
  marks.suspended_at_ms = kind === 'suspend' ? ledger.now_ms : undefined
  ledger.markAgent(agent_id)
  ledger.log(kind === 'suspend' ? 'agent.suspended' : 'agent.resumed', {
    agent_id: loggedAgent(agent_id),
  })
  return { changed: true, at_ms: ledger.now_ms }
}

function known(jti: string, ledger: Ledger): Chain {
  const chain = ledger.chain(jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  return chain
}

function names([{ token }]: Chain) {
  return {
    token: tokenRef(token.jti),
    provenance_ref: token.provenance_ref,
    agent_id: loggedAgent(token.agent_id),
  }
}

/** A reason stands in the log as a digest: of the person it concerns, or of the deployment where it concerns an agent. */
function digestOf(
  { reason }: RevokeCommand | RevokeAllCommand,
  human_ref: string | undefined,
  ledger: Ledger,
) {
  return reason === undefined ? {} : { reason_digest: ledger.digest(human_ref, 'reason', reason) }
}
