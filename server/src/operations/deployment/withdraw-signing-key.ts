import { AuthorityError, invalidField } from '@deputize/protocol'
import type { Reply } from '../../clerk/command.ts'
import type { RevokeOutcome } from '../../clerk/judges/revoke.ts'
import { isRevoked } from '../../domain/decision.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeyFacts } from '../../keys/key-ring.ts'
import type { TokenFilter } from '../../store/port/filters.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

interface KeyWithdrawnOutcome {
  readonly log_index: number
}

/**
 * Logs the withdrawal, ends the key, then revokes what the key has signed since `from`. A crash after the first step
 * leaves a leaf about a key that is still in use, which `deputy check` reports. A crash after the second leaves tokens
 * that aren't revoked yet. Repeating the call does the rest.
 */
export const withdrawSigningKey: Handler<'withdrawSigningKey'> = async (call, context) => {
  const { params, body } = call
  const { keys, clock } = context
  const from_ms = Date.parse(body.from)
  if (from_ms > clock()) throw invalidField('/from', 'must not be in the future')
  await keys.refresh()
  const known = await keyNamed(params.kid, context)
  const { log_index } = await submitCommand<KeyWithdrawnOutcome>(
    { kind: 'key_withdrawn', kid: params.kid, from: isoInstant(from_ms), reason: body.reason },
    call,
    context,
  )
  await keys.withdraw(params.kid, from_ms, clock())
  const { purpose, withdrawn_at = '', withdrawn_from = '' } = await keyNamed(params.kid, context)
  return {
    kid: params.kid,
    already_withdrawn: known.status === 'withdrawn',
    withdrawn_at,
    withdrawn_from,
    active_kid: keys.active(purpose).kid,
    revoked_count: purpose === 'tokens' ? await revokeSigned(known, from_ms, context) : 0,
    log_index,
  }
}

async function keyNamed(kid: string, { keys }: OperationContext): Promise<KeyFacts> {
  const found = keys.list().find((key) => key.kid === kid)
  if (found === undefined) throw new AuthorityError('signing_key_unknown')
  return found
}

const PAGE_SIZE = 200
const ALL_TOKENS: TokenFilter = {
  tenant_id: undefined,
  agent_id: undefined,
  human_ref: undefined,
  provenance_ref: undefined,
  assurance_level: undefined,
}
/** A token may be signed shortly before its key retires and committed shortly after. */
const COMMIT_DELAY_MS = 60_000
const REVOKE_REASON = 'The key that signed this token was withdrawn.'

/** Revokes the tokens issued while the key was signing, newest first, until one from before `from_ms` is reached. */
async function revokeSigned(key: KeyFacts, from_ms: number, context: OperationContext): Promise<number> {
  if (key.active_from === undefined) return 0
  const start_ms = Math.floor(Math.max(from_ms, Date.parse(key.active_from)) / 1000) * 1000
  const end_ms =
    key.retired_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.retired_at) + COMMIT_DELAY_MS
  let revoked_count = 0
  let before: number | undefined
  for (;;) {
    const page = await context.reader.tokens(ALL_TOKENS, { limit: PAGE_SIZE, before })
    const issued = page.entries.map(([link]) => link)
    const signed = issued.filter(
      ({ token }) => token.issued_at_ms >= start_ms && token.issued_at_ms <= end_ms,
    )
    revoked_count += await revokeEach(
      signed.filter((link) => !isRevoked(link)).map(({ token }) => token.jti),
      context,
    )
    const isPast = issued.some(({ token }) => token.issued_at_ms < start_ms)
    if (isPast || page.before === undefined) return revoked_count
    before = page.before
  }
}

async function revokeEach(jtis: readonly string[], { clerk }: OperationContext): Promise<number> {
  if (jtis.length === 0) return 0
  // A token signed by another key stays valid, even if this key signed its renewal: its holder can renew it again.
  const items = jtis.map(
    (vat_jti) => ({ kind: 'revoke', vat_jti, reason: REVOKE_REASON, keeps_renewed: true }) as const,
  )
  const { outcome } = await clerk.submit({ kind: 'many', items })
  const replies = outcome as Reply[] // the clerk answers `many` with one reply for each item
  return replies.filter((reply) => 'outcome' in reply && !isRepeated(reply.outcome)).length
}

function isRepeated(outcome: unknown): boolean {
  return (outcome as RevokeOutcome).already_revoked // the outcome of judgeRevoke
}
