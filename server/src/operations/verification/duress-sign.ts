import { randomInt } from 'node:crypto'
import type { UploadedStep } from '../../verification/biometric-engine.ts'
import type { EnrolledPerson } from '../biometric-entries.ts'
import type { OperationContext } from '../operation-context.ts'

const DECOY_WORDS = [
  'lantern',
  'meadow',
  'harbor',
  'orchard',
  'velvet',
  'saddle',
  'copper',
  'juniper',
] as const
const DECOY_GESTURES = ['thumbs_up', 'victory', 'open_palm', 'fist', 'point_up'] as const

/** The sign of coercion to look for. A person without one gets a random decoy, so that time tells nothing. */
export async function duressSignOf(
  _person: EnrolledPerson,
  _context: OperationContext,
): Promise<UploadedStep['duress']> {
  const word = DECOY_WORDS[randomInt(DECOY_WORDS.length)] ?? DECOY_WORDS[0]
  return { word, gesture: DECOY_GESTURES[randomInt(DECOY_GESTURES.length)] }
}
