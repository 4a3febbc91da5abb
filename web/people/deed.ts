/** A deed that a sign-in interrupted. It stays in this tab, and other sites cannot write it. */
import type { PageCall } from './call.ts'

const DEED_KEY = 'deputy.people.deed'
/** A deed that is older is forgotten: the person has moved on. */
const MOST_MS = 15 * 60_000

export interface Deed {
  /** The button that the person pressed, in words. */
  readonly label: string
  readonly calls: readonly PageCall[]
  readonly done: string
}

export function keepDeed(deed: Deed): void {
  sessionStorage.setItem(DEED_KEY, JSON.stringify({ ...deed, at_ms: Date.now() }))
}

/** The deed, once. */
export function takeDeed(): Deed | undefined {
  const text = sessionStorage.getItem(DEED_KEY)
  if (text === null) return undefined
  sessionStorage.removeItem(DEED_KEY)
  const { at_ms, ...deed }: Deed & { at_ms: number } = JSON.parse(text) // written by `keepDeed`
  return Date.now() - at_ms < MOST_MS ? deed : undefined
}
