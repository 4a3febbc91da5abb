/** What this browser remembers of the first steps. */
import { signal } from '@preact/signals'

/** True from the first token that this page made until its visitor goes on: the page stays although something is recorded. */
export const isBeginning = signal(false)

const HIDDEN = 'deputy-set-up-hidden'

export const isSetUpHidden = signal(isHidden())

export function hideSetUp(isNowHidden: boolean): void {
  isSetUpHidden.value = isNowHidden
  try {
    if (isNowHidden) localStorage.setItem(HIDDEN, '1')
    else localStorage.removeItem(HIDDEN)
  } catch {
    // Without storage the list comes back with the next page.
  }
}

function isHidden(): boolean {
  try {
    return localStorage.getItem(HIDDEN) === '1'
  } catch {
    return false
  }
}
