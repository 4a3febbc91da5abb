/** What this browser remembers about the first steps. */
import { signal } from '@preact/signals'

/** True from this page's first token until the visitor moves on: the page stays although something is recorded. */
export const isBeginning = signal(false)

const HIDDEN = 'deputy-set-up-hidden'

export const isSetUpHidden = signal(isHidden())

export function hideSetUp(isNowHidden: boolean): void {
  isSetUpHidden.value = isNowHidden
  try {
    if (isNowHidden) localStorage.setItem(HIDDEN, '1')
    else localStorage.removeItem(HIDDEN)
  } catch {
    // Without storage, the list returns with the next page load.
  }
}

function isHidden(): boolean {
  try {
    return localStorage.getItem(HIDDEN) === '1'
  } catch {
    return false
  }
}
