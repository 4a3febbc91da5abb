import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { openReads } from '../api/load.ts'
import { arrive } from '../router.ts'
import { Loading } from './basics.tsx'

/** After this time, the parts that have arrived are shown. */
const PATIENCE_MS = 2000

/**
 * Shows a screen once all its reads are answered, so that its parts appear together and nothing jumps. People who asked
 * for less motion never see it in parts.
 */
export function Veil({ children }: { readonly children: ComponentChildren }) {
  const [isLifted, lift] = useState(false)
  const isBusy = openReads.value > 0
  // The effects of its parts have already run, so their reads are counted.
  useLayoutEffect(() => {
    if (openReads.peek() === 0) lift(true)
  }, [isBusy])
  useLayoutEffect(() => {
    if (isLifted) arrive()
  }, [isLifted])
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const timer = setTimeout(() => lift(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      {!isLifted && <Loading rows={8} />}
      <div class={isLifted ? 'screen' : 'screen veiled'}>{children}</div>
    </>
  )
}
