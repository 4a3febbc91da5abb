/** Shows times in this device's zone, and how far away they are by the service's clock. */
import { exactText, timeText } from './time-text.ts'

const AGAIN_MS = 20_000

/** How far the clock of the service is ahead of this device. */
let _ahead_ms = 0

/** Shows all times of the page, now and as time passes. `now` is the time of the service. */
export function startTimes(now: number): void {
  _ahead_ms = now - Date.now()
  showTimes()
  setInterval(showTimes, AGAIN_MS)
}

export function showTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-shown]')) {
    const text = timeText(Date.parse(time.dateTime), time.dataset.shown ?? '', Date.now() + _ahead_ms)
    if (time.textContent !== text) time.textContent = text
    time.title = exactText(Date.parse(time.dateTime))
  }
}
