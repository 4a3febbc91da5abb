import type { ShownTask } from './shown-task.ts'
import { until } from './until.ts'

const SHADES = { red: '#f00', green: '#0f0', blue: '#00f', black: '#000' } as const

/** Faster flashing can cause seizures. */
const SHORTEST_SLOT_MS = 334

/** Lights the face with the colours of a step, never faster than is safe. Returns at once if there are none. */
export async function showColors(
  light: HTMLElement,
  { colors = [], slot_ms = 0 }: Pick<ShownTask, 'colors' | 'slot_ms'>,
  shown_at: number,
  signal?: AbortSignal,
): Promise<void> {
  const safe_slot_ms = Math.max(SHORTEST_SLOT_MS, slot_ms)
  try {
    for (const [i, color] of colors.entries()) {
      light.style.backgroundColor = SHADES[color]
      light.hidden = false
      await until(shown_at + (i + 1) * safe_slot_ms, signal)
    }
  } finally {
    light.hidden = true
  }
}
