import { shownAgent, toUsd } from '@deputize/protocol'
import type { FreezeCommand } from '../clerk/command.ts'
import type { FreezeOutcome, RevokeAllOutcome, RevokeOutcome } from '../clerk/judges/revoke.ts'
import { isoInstant } from '../domain/time.ts'
import { chainOf } from './delegate.ts'
import { type Call, carryOut, type Handler, type OperationContext } from './operation-context.ts'
import { agentSeen } from './sight.ts'

export const revokeToken: Handler<'revokeToken'> = async (call, context) => {
  const { vat_jti, reason } = call.body
  const { revoked_at_ms, ...outcome } = await carryOut<RevokeOutcome>(
    { kind: 'revoke', vat_jti, reason },
    call,
    context,
  )
  return { revoked: true, revoked_at: isoInstant(revoked_at_ms), ...outcome }
}

export const previewRevocation: Handler<'previewRevocation'> = async ({ body }, context) => {
  const [{ token, state }] = await chainOf(body.vat_jti, context)
  const { live_tokens, agents, pending_records } = await context.reader.blastRadius(
    token.jti,
    context.clock(),
  )
  return {
    jti: token.jti,
    already_revoked: state.revoked_at_ms !== undefined,
    live_tokens: state.revoked_at_ms === undefined ? live_tokens : 0,
    agents: agents.map(shownAgent),
    pending_records,
    reserved_usd: toUsd(state.reserved_micro_usd),
  }
}

export const revokeAgent: Handler<'revokeAgent'> = async (call, context) => {
  const { reason } = call.body
  const agent_id = agentSeen(call.caller, call.body.agent_id)
  const { revoked_at_ms, revoked_count } = await carryOut<RevokeAllOutcome>(
    { kind: 'revoke_all', owner: { agent_id }, reason },
    call,
    context,
  )
  return {
    revoked: true,
    revoked_at: isoInstant(revoked_at_ms),
    revoked_count,
    agent_id: shownAgent(agent_id),
  }
}

export const revokeHuman: Handler<'revokeHuman'> = async (call, context) => {
  const { human_ref, reason } = call.body
  const { revoked_at_ms, revoked_count } = await carryOut<RevokeAllOutcome>(
    { kind: 'revoke_all', owner: { human_ref }, reason },
    call,
    context,
  )
  return { revoked: true, revoked_at: isoInstant(revoked_at_ms), revoked_count, human_ref }
}

export const suspendToken: Handler<'suspendToken'> = (call, context) => freeze('suspend', call, context)

export const resumeToken: Handler<'resumeToken'> = (call, context) => freeze('resume', call, context)

async function freeze(
  kind: FreezeCommand['kind'],
  call: Call<'suspendToken'> | Call<'resumeToken'>,
  context: OperationContext,
) {
  const { jti } = call.params
  const { changed, at_ms } = await carryOut<FreezeOutcome>({ kind, target: { vat_jti: jti } }, call, context)
  return { jti, suspended: kind === 'suspend', changed, at: isoInstant(at_ms) }
}
