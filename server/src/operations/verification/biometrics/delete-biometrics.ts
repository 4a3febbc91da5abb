import { actorOf } from '../../../access/caller.ts'
import type { RevokeOutcome } from '../../../clerk/judges/revoke.ts'
import type { Token } from '../../../domain/tokens/token.ts'
import { BUILTIN_PROVIDER } from '../../../domain/verification/provider-choice.ts'
import { EVERY_TOKEN } from '../../../store/port/filters.ts'
import { deleteTemplate, type EnrolledPerson, templateOf } from '../../identity/biometric-entries.ts'
import { everyRefOf } from '../../identity/proven-person.ts'
import { eachEntry } from '../../lists/pages.ts'
import { loadHuman } from '../../loading/load-human.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { signChangeCommand } from '../../safety/safety-notes.ts'
import { cancelSessionsOf } from './cancel-sessions-of.ts'

const REASON = 'The person withdrew their consent to biometric verification.'
const MOST_AT_ONCE = 500

/**
 * Covers every ref of the person. Ends sessions first, so that an enrollment that is being judged restores no template.
 * Then deletes the templates: after that no L3 token can be issued, so the tokens that are revoked next are all of
 * them. A crash in between leaves some of these tokens, and repeating the call revokes them. It ignores the
 * Idempotency-Key for that reason.
 */
export const deleteBiometrics: Handler<'deleteBiometrics'> = async ({ params, caller }, context) => {
  const { human_ref } = params
  await loadHuman(human_ref, context)
  const refs = await everyRefOf(human_ref, context)
  const people = refs.map((ref) => ({ tenant_id: caller.tenant_id, human_ref: ref }))
  let cancelled_sessions = 0
  for (const ref of refs) cancelled_sessions += await cancelSessionsOf(ref, context)
  let wasStored = false
  for (const person of people) {
    await noteLostSign(person, caller.role === 'human', context)
    wasStored = (await deleteTemplate(person, actorOf(caller), context)) || wasStored
  }
  context.verification.onSafetyNote()
  let revoked_count = 0
  for (const person of people) revoked_count += await revokeBiometricTokens(person, context)
  return { deleted: true, already_deleted: !wasStored, human_ref, revoked_count, cancelled_sessions }
}

/**
 * Writes the note about a sign of coercion that is deleted with the template. Its contacts are notified if the person
 * may have been forced.
 */
async function noteLostSign(person: EnrolledPerson, is_told: boolean, context: OperationContext) {
  const known = await templateOf(person, context)
  if (known === undefined) return
  const note = signChangeCommand(person, { slot: known.document.duress, is_told }, context.clock())
  await context.clerk.submit(note, 'stop')
}

/**
 * Revokes the root of every unexpired L3 token under a ref that the built-in engine verified, and so everything below
 * it. A verification provider uses no biometrics of this service.
 */
async function revokeBiometricTokens(person: EnrolledPerson, { reader, clerk, clock }: OperationContext) {
  const roots = new Set<string>()
  const filter = { ...EVERY_TOKEN, ...person, assurance_level: 'L3' } as const
  for await (const [{ token }] of eachEntry((page) => reader.tokens(filter, page)))
    if (token.limits.expires_at_ms > clock() && isBiometric(token)) roots.add(token.root_jti)
  const jtis = [...roots]
  let revoked_count = 0
  for (let from = 0; from < jtis.length; from += MOST_AT_ONCE) {
    const items = jtis
      .slice(from, from + MOST_AT_ONCE)
      .map((vat_jti) => ({ kind: 'revoke', vat_jti, reason: REASON }) as const)
    const { outcome } = await clerk.submit({ kind: 'many', items }, 'stop')
    const replies = outcome as readonly { readonly outcome: RevokeOutcome }[] // one outcome of the judge for each item
    for (const { outcome: revoked } of replies) revoked_count += revoked.revoked_count
  }
  return revoked_count
}

function isBiometric({ claims }: Token): boolean {
  return (claims.svc_verification?.provider ?? BUILTIN_PROVIDER) === BUILTIN_PROVIDER
}
