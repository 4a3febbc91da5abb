/** A deed that a sign-in interrupted. It stays in this tab, and other sites cannot write it. */
import type { PageCall } from './call.ts'

const DEED_KEY = 'deputy.people.deed'
/** A deed that is older is forgotten: the person has moved on. */
const MOST_MS = 15 * 60_000

export interface Deed {
  /** What the person was about to do: `stop Shopping assistant`. */
  readonly deed: string
  readonly calls: readonly PageCall[]
  readonly done: string
  /** A question that is asked before it is done, again after a sign-in. */
  readonly question?: string
  readonly yes?: string
  /** Tokens that it stops, and the name of what they belong to. */
  readonly stops?: readonly string[]
  readonly name?: string
  /** The whole page is loaded afterwards. */
  readonly reload?: boolean
}

export function keepDeed(deed: Deed, person: string): void {
  sessionStorage.setItem(DEED_KEY, JSON.stringify({ ...deed, person, at_ms: Date.now() }))
}

/** The deed of this person, once. What somebody else was about to do in this tab is forgotten. */
export function takeDeed(by: string): Deed | undefined {
  const text = sessionStorage.getItem(DEED_KEY)
  if (text === null) return undefined
  sessionStorage.removeItem(DEED_KEY)
  const { at_ms, person, ...deed }: Deed & { at_ms: number; person: string } = JSON.parse(text) // written by `keepDeed`
  return person === by && Date.now() - at_ms < MOST_MS ? deed : undefined
}
