/** The request that expires first, and how many are waiting: read once for the badge, the title and the overview. */
import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { ServiceAnswer } from '../api/ask-once.ts'
import { type Loaded, useLoad } from '../api/load.ts'

export const waitingRequests = signal<Loaded<ServiceAnswer<'listApprovals'>>>({
  data: undefined,
  problem: undefined,
  isLasting: false,
  reload: () => {},
})

/** Reads the waiting requests, if the caller may, and returns their number. */
export function useWaitingRequests(isAllowed: boolean): number {
  const list = useLoad(
    'listApprovals',
    isAllowed
      ? { state: 'pending', sort: 'expires_first', expand: 'token,agent', limit: 1, total: '1' }
      : undefined,
  )
  useLayoutEffect(() => {
    waitingRequests.value = list
  }, [list.data, list.problem])
  return list.data?.total ?? 0
}
