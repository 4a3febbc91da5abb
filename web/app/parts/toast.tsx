import { signal } from '@preact/signals'
import { problemText } from '../api/client.ts'

const said = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

const SHOWN_MS = 4000

/** Shows a text for a moment, and announces it to screen readers. */
export function tell(text: string): void {
  said.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    said.value = ''
  }, SHOWN_MS)
}

/** Runs the action of a button in a list, then shows how it ended. */
export async function doAndTell(run: () => Promise<string>): Promise<void> {
  try {
    tell(await run())
  } catch (error) {
    tell(problemText(error))
  }
}

export function Toast() {
  return (
    <output class={said.value === '' ? 'toast' : 'toast shown'} aria-live="polite">
      {said.value}
    </output>
  )
}
