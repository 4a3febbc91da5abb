import type { Claims } from '@deputize/protocol'
import { EVERY_TOKEN } from '../../store/port/filters.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'
import { verificationIdOf } from '../views/verification-view.ts'
import { changeCheck, findCheck, type KnownCheck } from './check-entries.ts'

type Revoking = Pick<OperationContext, 'clerk' | 'reader' | 'onNotice'>

/**
 * Revokes every root token based on a fallen check, then marks the check as done. Repeating this, even on several nodes
 * at once, revokes nothing twice: a revoked token stays as it is. No token can be added meanwhile, because the clerk
 * issues none on a fallen check.
 */
export async function revokeFallen(check: KnownCheck, context: Revoking): Promise<KnownCheck> {
  const { document } = check
  const { fallen } = document
  if (fallen === undefined || fallen.is_done) return check
  const reason = `The verification provider ${document.provider} withdrew its decision (${fallen.status}).`
  const jtis = await rootTokens(check, context)
  // The stop lane: revocations go ahead of everything that waits.
  for (const vat_jti of jtis) await context.clerk.submit({ kind: 'revoke', vat_jti, reason }, 'stop')
  context.onNotice(
    'a verification provider withdrew a decision: the tokens that were issued on it are revoked',
    {
      provider: document.provider,
      verification_id: verificationIdOf(document.session_id, document.opening),
      revoked: String(jtis.length),
    },
  )
  // A crash before this line repeats the revocations, which changes nothing.
  const done = await changeCheck(check, { ...document, fallen: { ...fallen, is_done: true } }, context)
  return done ?? (await findCheck(check.id, context)) ?? check
}

/** Returns the tokens that name the verification and weren't delegated: the root and its renewals. */
async function rootTokens(
  { tenant_id, human_ref, document }: KnownCheck,
  { reader }: Pick<Revoking, 'reader'>,
): Promise<string[]> {
  const verification_id = verificationIdOf(document.session_id, document.opening)
  const filter = { ...EVERY_TOKEN, tenant_id, human_ref, assurance_level: document.level }
  const found: string[] = []
  for await (const [{ token }] of eachEntry((page) => reader.tokens(filter, page)))
    if (isRootOf(token.claims, verification_id)) found.push(token.jti)
  return found
}

function isRootOf({ svc_verification, svc_parent_jti }: Claims, verification_id: string): boolean {
  return svc_parent_jti === undefined && svc_verification?.id === verification_id
}
