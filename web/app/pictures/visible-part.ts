import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The visible part of a large picture, in the picture's own pixels. */
export interface VisiblePart {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** The part moves in steps, so that scrolling redraws only now and then, and is drawn a little ahead. */
const STEP = 600

const WHOLE: VisiblePart = {
  top: Number.NEGATIVE_INFINITY,
  bottom: Number.POSITIVE_INFINITY,
  left: Number.NEGATIVE_INFINITY,
  right: Number.POSITIVE_INFINITY,
}
const isDrawnWhole = signal(false)

/** Runs something while every picture is drawn as a whole, not only its visible part. */
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

/** The part of an element that the window shows, plus some space around it, updated during scrolling. */
export function useVisiblePart(of: RefObject<Element | null>): VisiblePart {
  const [part, setPart] = useState<VisiblePart>({ top: 0, bottom: 2 * STEP, left: 0, right: 4 * STEP })
  useLayoutEffect(() => {
    const look = () => {
      if (of.current === null) return
      const { top, left } = of.current.getBoundingClientRect()
      const seen = {
        top: before(-top),
        bottom: behind(innerHeight - top),
        left: before(-left),
        right: behind(innerWidth - left),
      }
      setPart((shown) => (isSame(shown, seen) ? shown : seen))
    }
    look()
    // `capture`, because something around it may scroll.
    addEventListener('scroll', look, { capture: true, passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look, { capture: true })
      removeEventListener('resize', look)
    }
  }, [])
  return isDrawnWhole.value ? WHOLE : part
}

function before(edge: number): number {
  return Math.floor(edge / STEP - 1) * STEP
}

function behind(edge: number): number {
  return Math.ceil(edge / STEP + 1) * STEP
}

function isSame(one: VisiblePart, other: VisiblePart): boolean {
  return (
    one.top === other.top &&
    one.bottom === other.bottom &&
    one.left === other.left &&
    one.right === other.right
  )
}
