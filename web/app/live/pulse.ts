import { signal } from '@preact/signals'

/** Grows when something happened, at most once every few seconds. Screens read it to know when to look again. */
export const pulse = signal(0)

const SHORTEST_BEAT_MS = 1500

let _timer: ReturnType<typeof setTimeout> | undefined

export function beat(): void {
  _timer ??= setTimeout(() => {
    _timer = undefined
    // A hidden tab reads nothing. It looks again when it is shown.
    if (document.visibilityState === 'visible') pulse.value += 1
  }, SHORTEST_BEAT_MS)
}

export function startPulse(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') beat()
  })
}
