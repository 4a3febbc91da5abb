/** A deed that a sign-in interrupted. It stays in this tab, and other sites cannot write it. */
import type { PageCall } from './call.ts'

const DEED_KEY = 'deputy.people.deed'
/** An older deed is dropped: the person has moved on. */
const MOST_MS = 15 * 60_000

export interface Deed {
  /** What the person was about to do: `stop Shopping assistant`. */
  readonly deed: string
  readonly calls: readonly PageCall[]
  readonly done: string
  /** A question to ask before doing it, and again after a sign-in. */
  readonly question?: string
  readonly yes?: string
  /** The tokens that it stops, and the name of what they belong to. */
  readonly stops?: readonly string[]
  readonly name?: string
  /** Whether the whole page is reloaded afterwards. */
  readonly reload?: boolean
}

export function keepDeed(deed: Deed, person: string): void {
  sessionStorage.setItem(DEED_KEY, JSON.stringify({ ...deed, person, at_ms: Date.now() }))
}

/** Returns the deed of this person, once. Another person's deed in this tab is dropped. */
export function takeDeed(by: string): Deed | undefined {
  const text = sessionStorage.getItem(DEED_KEY)
  if (text === null) return undefined
  sessionStorage.removeItem(DEED_KEY)
  const { at_ms, person, ...deed }: Deed & { at_ms: number; person: string } = JSON.parse(text) // written by `keepDeed`
  return person === by && Date.now() - at_ms < MOST_MS ? deed : undefined
}
