import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** From where to where a tall picture is seen, in its own pixels. */
export interface VisiblePart {
  readonly top: number
  readonly bottom: number
}

/** In steps, so that scrolling draws only now and then; and some of it in advance. */
const STEP = 600

const WHOLE: VisiblePart = { top: Number.NEGATIVE_INFINITY, bottom: Number.POSITIVE_INFINITY }
const isDrawnWhole = signal(false)

/** Runs something while every picture is drawn as a whole, not only where it is seen. */
export async function whileDrawnWhole(run: () => void | Promise<void>): Promise<void> {
  isDrawnWhole.value = true
  try {
    // A change is drawn before the next frame.
    await new Promise(requestAnimationFrame)
    await run()
  } finally {
    isDrawnWhole.value = false
  }
}

/** The part of an element that the window shows, with what comes next, as it scrolls. */
export function useVisiblePart(of: RefObject<Element | null>): VisiblePart {
  const [part, setPart] = useState<VisiblePart>({ top: 0, bottom: 2 * STEP })
  useLayoutEffect(() => {
    const look = () => {
      if (of.current === null) return
      const { top } = of.current.getBoundingClientRect()
      const seen = {
        top: Math.floor(-top / STEP - 1) * STEP,
        bottom: Math.ceil((innerHeight - top) / STEP + 1) * STEP,
      }
      setPart((before) => (before.top === seen.top && before.bottom === seen.bottom ? before : seen))
    }
    look()
    // Also when something around it scrolls.
    addEventListener('scroll', look, { capture: true, passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [])
  return isDrawnWhole.value ? WHOLE : part
}
