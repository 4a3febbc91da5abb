/**
 * The secret sign of coercion of a person: a word that they say or a gesture that they show. It is stored in a slot of one
 * size that everyone has, and it is never shown again.
 */
import { randomInt } from 'node:crypto'
import { DURESS_WORDS, type DuressSign, type Gesture, isUsableDuressWord } from '@deputize/biometrics'

export { isUsableDuressWord }

/** The words that a person can choose from. */
export const USABLE_DURESS_WORDS: readonly string[] = DURESS_WORDS.filter(isUsableDuressWord)

/** Characters of the slot: base64url of `SLOT_BYTES`. */
export const DURESS_SLOT_LENGTH = 2048
const SLOT_BYTES = 1536

/** The slot of a person without a sign. */
export const EMPTY_DURESS_SLOT: string = ' '.repeat(DURESS_SLOT_LENGTH)

/** What a person chose. */
export interface DuressChoice {
  readonly word?: string | undefined
  readonly gesture?: Gesture | undefined
  /** Who is told, as the safety desk can reach them. */
  readonly contacts: readonly string[]
}

/** Undefined if the choice does not fit. */
export function duressSlotText(choice: DuressChoice): string | undefined {
  const text = Buffer.from(JSON.stringify(choice))
  if (text.length > SLOT_BYTES) return undefined
  const padded = Buffer.alloc(SLOT_BYTES, ' ')
  text.copy(padded)
  return padded.toString('base64url')
}

/** The choice in a slot; undefined if the person has made none. */
export function readDuressSlot(slot: string): DuressChoice | undefined {
  if (slot.trim() === '') return undefined
  return JSON.parse(Buffer.from(slot, 'base64url').toString()) // only `duressSlotText` writes slots
}

/**
 * What the engine looks for in a capture. A person without a word gets a random one, so that each capture takes the same
 * work. `isDuress` says what counts in the end: a decoy that is heard means nothing.
 */
export function duressSignIn(slot: string): DuressSign {
  const choice = readDuressSlot(slot)
  return { word: choice?.word ?? decoyWord(), gesture: choice?.gesture }
}

/** Whether a sign that the engine has found is one that the person chose. */
export function isDuress(found: boolean, slot: string): boolean {
  return readDuressSlot(slot) !== undefined && found
}

function decoyWord(): string {
  return DURESS_WORDS[randomInt(DURESS_WORDS.length)] ?? ''
}
