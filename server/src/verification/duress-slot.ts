/**
 * A person's secret sign of coercion: a word that they say or a gesture that they show. It is stored in a slot that
 * everyone has and whose size is always the same, and it is never shown again.
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
  /** The people to notify, as the safety desk can reach them. */
  readonly contacts: readonly string[]
}

/** Returns undefined if the choice doesn't fit. */
export function duressSlotText(choice: DuressChoice): string | undefined {
  const text = Buffer.from(JSON.stringify(choice))
  if (text.length > SLOT_BYTES) return undefined
  const padded = Buffer.alloc(SLOT_BYTES, ' ')
  text.copy(padded)
  return padded.toString('base64url')
}

/** Returns the choice in a slot, or undefined if the person has made none. */
export function readDuressSlot(slot: string): DuressChoice | undefined {
  if (slot.trim() === '') return undefined
  return JSON.parse(Buffer.from(slot, 'base64url').toString()) // only `duressSlotText` writes slots
}

/**
 * Returns the sign that the engine looks for in a capture. A person without a word gets a random decoy, so that each
 * capture takes the same work. The engine ignores a decoy that it hears.
 */
export function duressSignIn(slot: string): DuressSign {
  const choice = readDuressSlot(slot)
  return {
    word: choice?.word ?? decoyWord(),
    is_decoy: choice?.word === undefined,
    gesture: choice?.gesture,
  }
}

/** Whether a sign that the engine has found counts: the person must have chosen one. */
export function isDuress(found: boolean, slot: string): boolean {
  return readDuressSlot(slot) !== undefined && found
}

function decoyWord(): string {
  return DURESS_WORDS[randomInt(DURESS_WORDS.length)] ?? ''
}
