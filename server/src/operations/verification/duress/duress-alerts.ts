import type { AnswerOf, OPERATIONS } from '@deputize/protocol'
import { EVERY_TOKEN } from '../../../store/port/filters.ts'
import type { KeptEntry } from '../../../store/port/registry.ts'
import type { OperationContext } from '../../operation-context.ts'
import {
  resolutionIn,
  type SafetyNote,
  type SafetyResolution,
  safetyNoteIn,
} from '../../safety/safety-notes.ts'
import { isAlertSent } from './safety-outbox.ts'

export type DuressAlertView = AnswerOf<typeof OPERATIONS.resolveDuressAlert>

/** Returns the note in an entry if it is about coercion. */
export function duressNoteIn(entry: KeptEntry): SafetyNote | undefined {
  const note = safetyNoteIn(entry)
  return note?.duress === true ? note : undefined
}

export async function resolutionOf(
  { resolution_id }: SafetyNote,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<SafetyResolution | undefined> {
  const document = (await reader.registry.entry('review', resolution_id))?.document
  return document === undefined ? undefined : resolutionIn({ document })
}

export async function alertView(
  entry: KeptEntry,
  note: SafetyNote,
  context: Pick<OperationContext, 'reader' | 'ephemeral'>,
): Promise<DuressAlertView> {
  const resolution = await resolutionOf(note, context)
  const jti = await tokenOfVerification(entry, note, context)
  return {
    alert_id: note.verification_id,
    human_ref: entry.owner ?? '',
    about: note.about ?? 'verification',
    at: note.at,
    passed: note.passed,
    ...(jti !== undefined && { jti }),
    contacts: [...note.contacts],
    sent: await isAlertSent(note.verification_id, context.ephemeral),
    state: resolution === undefined ? 'open' : 'resolved',
    ...(resolution !== undefined && { outcome: resolution.outcome, resolved_at: resolution.at }),
    ...(resolution?.note !== undefined && { note: resolution.note }),
  }
}

/** Returns the token that a verification issued: at most one, soon after it, which names it in its claims. */
export async function tokenOfVerification(
  { tenant_id, owner }: KeptEntry,
  { verification_id }: SafetyNote,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<string | undefined> {
  const filter = { ...EVERY_TOKEN, tenant_id, human_ref: owner, assurance_level: 'L3' } as const
  let before: number | undefined
  do {
    const page = await reader.tokens(filter, { limit: 200, before })
    const found = page.entries.find(
      ([{ token }]) =>
        token.parent_jti === undefined && token.claims.svc_verification?.id === verification_id,
    )
    if (found !== undefined) return found[0].token.jti
    before = page.before
  } while (before !== undefined)
  return undefined
}
