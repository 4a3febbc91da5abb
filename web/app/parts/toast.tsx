import { signal } from '@preact/signals'
import { problemText } from '../api/client.ts'

const said = signal('')
let timer: ReturnType<typeof setTimeout> | undefined

const SHOWN_MS = 4000

/** Says something for a moment, also to screen readers. */
export function tell(text: string): void {
  said.value = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    said.value = ''
  }, SHOWN_MS)
}

/** Does something for a button of a list, then says how it ended. */
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
