import { signal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { PLACES } from './places.ts'

const isOpen = signal(false)

export function openHelp(): void {
  isOpen.value = true
}

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'Go to a screen, an agent or any ID'],
  ['j, k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['.', 'Actions of the row'],
  ['x', 'Select the request, to decide several at once'],
  ['a', 'Approve the request (asks first)'],
  ['d', 'Deny the request (asks first)'],
  ['/', 'Filter'],
  ['Esc', 'Close'],
  ['?', 'This help'],
]

export function Help() {
  if (!isOpen.value) return null
  const keys = [...KEYS, ...PLACES.map(({ letter, word }) => [`g ${letter}`, word] as const)]
  return (
    <Dialog title="Keyboard" close={() => (isOpen.value = false)}>
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="/guides">Guides</a> · <a href="/docs">API reference</a> · <a href="/problems">Errors</a>
      </p>
    </Dialog>
  )
}
