import { AuthorityError } from '@deputy/protocol'
import { tokenRef } from '../../log/leaf.ts'
import type { RevokeCommand } from '../command.ts'
import type { Ledger } from '../ledger.ts'

export interface RevokeOutcome {
  readonly already_revoked: boolean
  readonly jti: string
  readonly revoked_at_ms: number
  readonly revoked_count: number
  readonly provenance_ref: string
}

/** One mark on one token silences everything below it, because validity asks every ancestor. */
export function revoke(command: RevokeCommand, ledger: Ledger): RevokeOutcome {
  const chain = ledger.chain(command.vat_jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
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

  const wasLive = ledger.now_ms < token.limits.expires_at_ms
  state.revoked_at_ms = ledger.now_ms
  state.revoke_reason = command.reason
  ledger.touch([link])
  ledger.log('token.revoked', {
    token: tokenRef(jti),
    provenance_ref,
    agent_id: `agent:${token.agent_id}`,
    ...(command.reason_digest !== undefined && { reason_digest: command.reason_digest }),
  })
  return {
    already_revoked: false,
    jti,
    revoked_at_ms: ledger.now_ms,
    revoked_count: wasLive ? 1 : 0,
    provenance_ref,
  }
}
