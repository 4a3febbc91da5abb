import type { ShownTask } from './session.ts'
import { until } from './until.ts'

/** Where a page shows what to do. */
export interface CaptureScreen {
  readonly prompt: HTMLElement
  /** Covers the page and lights the face. */
  readonly light: HTMLElement
}

const SHADES = { red: '#f00', green: '#0f0', blue: '#00f', black: '#000' } as const

/** Faster flashing can cause seizures. */
const SHORTEST_SLOT_MS = 334

/** Shows a step for as long as it is recorded. */
export async function showStep(
  { prompt, light }: CaptureScreen,
  step: ShownTask,
  shown_at: number,
): Promise<void> {
  prompt.textContent = step.prompt
  const colors = step.colors ?? []
  const slot_ms = Math.max(SHORTEST_SLOT_MS, step.slot_ms ?? 0)
  for (const [i, color] of colors.entries()) {
    light.style.backgroundColor = SHADES[color]
    light.hidden = false
    await until(shown_at + (i + 1) * slot_ms)
  }
  light.hidden = true
  await until(shown_at + step.duration_ms)
}
