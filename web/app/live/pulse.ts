import { signal } from '@preact/signals'

/** Grows when something has happened, at most once every 1.5 s. Screens read it to know when to reload. */
export const pulse = signal(0)

const SHORTEST_BEAT_MS = 1500

let _timer: ReturnType<typeof setTimeout> | undefined

export function beat(): void {
  _timer ??= setTimeout(() => {
    _timer = undefined
    // A hidden tab reads nothing. It reloads when it is shown.
    if (document.visibilityState === 'visible') pulse.value += 1
  }, SHORTEST_BEAT_MS)
}

export function startPulse(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') beat()
  })
}
