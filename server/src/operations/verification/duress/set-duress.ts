import { AuthorityError, invalidField } from '@deputize/protocol'
import { duressSlotText, isUsableDuressWord } from '../../../verification/duress-slot.ts'
import { templateOf, updateBiometric } from '../../identity/biometric-entries.ts'
import type { Handler, OperationContext } from '../../operation-context.ts'
import { signChangeCommand } from '../../safety/safety-notes.ts'
import { type PersonWithSign, provenForDuress } from './duress-proof.ts'

export const setDuress: Handler<'setDuress'> = async (call, context) => {
  const { word, gesture, contacts, ...stated } = call.body
  const person = await provenForDuress(call, stated, context)
  if (word === undefined && gesture === undefined)
    throw invalidField('/word', 'or gesture is required: choose a word, a gesture or both')
  if (word !== undefined && !isUsableDuressWord(word.toLowerCase()))
    throw invalidField(
      '/word',
      'must be a word that the engine knows, such as butterfly or calendar. The guide to duress lists them all',
    )
  const slot = duressSlotText({ ...(word !== undefined && { word: word.toLowerCase() }), gesture, contacts })
  if (slot === undefined) throw invalidField('/contacts', 'are too long in total: shorten them')
  await putSlot(person, slot, context)
  return { saved: true }
}

/** Sets or removes a sign, with the same entries, even if the proof was given under coercion and nothing changes. */
export async function putSlot(
  person: PersonWithSign,
  slot: string,
  context: OperationContext,
): Promise<void> {
  const known = await templateOf(person, context)
  if (known === undefined) throw new AuthorityError('not_enrolled')
  const { clerk, clock } = context
  // A crash after this line leaves an alert about a sign that still exists, never a lost sign without an alert.
  await clerk.submit(
    signChangeCommand(person, { slot: known.document.duress, is_told: person.by_passkey }, clock()),
  )
  await updateBiometric(
    person,
    (stored) => ({ ...stored, duress: person.under_duress ? stored.duress : slot }),
    context,
  )
  context.verification.onSafetyNote()
}
