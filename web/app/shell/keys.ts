import { navigate } from '../router.ts'
import { openHelp } from './help.tsx'
import { openPalette } from './palette.tsx'
import { PLACES } from './places.ts'
import { openRowActions } from './row-actions.tsx'

const SEQUENCE_MS = 1500

/** Keys that work on every screen. None of them changes any data. */
export function startKeys(): void {
  let after_g = Number.NEGATIVE_INFINITY
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      openPalette()
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const isSequence = performance.now() - after_g < SEQUENCE_MS
    after_g = event.key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY
    const target = isSequence ? PLACES.find(({ letter }) => letter === event.key) : undefined
    if (target !== undefined) navigate(target.href)
    else if (event.key === '?') openHelp()
    else if (event.key === '/') focusFilter(event)
    else if (event.key === '.') openRowActions()
    else if (event.key === 'j') focusRow(1)
    else if (event.key === 'k') focusRow(-1)
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null
}

function focusFilter(event: KeyboardEvent): void {
  const filter = document.querySelector<HTMLInputElement>('input[data-filter]')
  if (filter === null) return
  event.preventDefault()
  filter.focus()
}

function focusRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const row = rows[current === -1 && by === -1 ? rows.length - 1 : current + by]
  const target = row?.matches('a, [tabindex]') ? row : row?.querySelector<HTMLElement>('a, button')
  target?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}
