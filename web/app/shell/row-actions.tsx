import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { tell } from '../parts/toast.tsx'

const shown = signal<readonly HTMLElement[]>([])

/** Offers the links and buttons of the focused row. A button that changes something still asks first. */
export function openRowActions(): void {
  const at = document.activeElement
  const row = at?.closest('article') ?? at?.closest('[data-row]') ?? undefined
  if (row === undefined) return
  const inside = [...row.querySelectorAll<HTMLElement>('a[href], button:enabled, input[type=checkbox]')]
  shown.value = row instanceof HTMLAnchorElement ? [row] : inside
}

export function RowActions() {
  if (shown.value.length === 0) return null
  const close = () => {
    shown.value = []
  }
  const choose = (element: HTMLElement) => () => {
    close()
    if (!element.isConnected) return tell('This row no longer exists.')
    element.focus()
    element.click()
  }
  return (
    <Dialog title="Actions" close={close}>
      <div class="row-actions">
        {shown.value.map((element, index) => (
          // The elements have no key and never move.
          <button key={index} type="button" onClick={choose(element)}>
            {actionWords(element)}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

function actionWords(element: HTMLElement): string {
  const words = element.getAttribute('aria-label') ?? element.textContent
  return element instanceof HTMLAnchorElement ? `Open ${words}` : words
}
