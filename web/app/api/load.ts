import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OperationId } from '../../../sdk/node/src/generated/operations.ts'
import { pulse } from '../live/pulse.ts'
import type { CallArguments, ServiceAnswer } from './ask-once.ts'
import { callService, isLastingProblem, problemText } from './client.ts'

/** An answer that a screen shows. `data` stays during a reload. */
export interface Loaded<T> {
  readonly data: T | undefined
  readonly problem: string | undefined
  /** Whether a reload would end with the same problem. */
  readonly isLasting: boolean
  readonly reload: () => void
}

/** Number of reads without a first answer. Repeating a read, because something happened, doesn't count. */
export const openReads = signal(0)

/**
 * Reads something: once for each `key`, after `reload`, and, if `live`, when something happened. The previous answer
 * stays until the new one arrives, so that nothing jumps. Nothing is read while the key is undefined.
 */
export function useRead<T>(
  key: string | undefined,
  read: (ending: AbortSignal) => Promise<T>,
  { live = true } = {},
): Loaded<T> & { readonly isCurrent: boolean } {
  const [state, setState] = useState<{ key?: string; data?: T; problem?: string; isLasting?: boolean }>({})
  const [turn, setTurn] = useState(0)
  // A read that is no longer live keeps the beat of its last run.
  const beat = useRef(pulse.peek())
  if (live) beat.current = pulse.value
  const latest = useRef(read)
  latest.current = read
  const isCurrent = state.key === key
  const isOpen = key !== undefined && !isCurrent
  useLayoutEffect(() => {
    if (!isOpen) return
    openReads.value += 1
    return () => {
      openReads.value -= 1
    }
  }, [isOpen])
  // The key identifies what is read; turn and beat repeat the read.
  useEffect(() => {
    if (key === undefined) return
    const ending = new AbortController()
    latest.current(ending.signal).then(
      (data) => !ending.signal.aborted && setState({ key, data }),
      (error: unknown) => {
        if (ending.signal.aborted) return
        const problem = { problem: problemText(error), isLasting: isLastingProblem(error) }
        setState((before) => ({ ...(before.key === key ? before : { key }), ...problem }))
      },
    )
    return () => ending.abort()
  }, [key, turn, beat.current])
  return {
    data: key === undefined ? undefined : state.data,
    problem: isCurrent ? state.problem : undefined,
    isLasting: isCurrent && state.isLasting === true,
    isCurrent,
    reload: () => setTurn((before) => before + 1),
  }
}

/** Reads the answer of an operation. Nothing is read while the input is undefined. */
export function useLoad<Id extends OperationId>(
  id: Id,
  input: CallArguments<Id> | undefined,
  options?: { readonly live?: boolean },
): Loaded<ServiceAnswer<Id>> & { readonly isCurrent: boolean } {
  const key = input === undefined ? undefined : JSON.stringify([id, input])
  // Without a key nothing is read, so there is an input.
  return useRead(key, (ending) => callService(id, input as CallArguments<Id>, ending), options)
}

/** The time, updated every `every_ms`. */
export function useNow(every_ms = 10_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms)
    return () => clearInterval(timer)
  }, [every_ms])
  return now
}
