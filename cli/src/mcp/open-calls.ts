import type { Permit } from './gate.ts'
import type { Id } from './messages.ts'

/** A call that is being asked about, or that the server works on. */
export interface OpenCall {
  /** Says that the client does not want it any more. */
  readonly stop: AbortController
  /** Known once it was allowed. */
  permit: Permit | undefined
  is_with_server: boolean
}

export interface OpenCalls {
  /** Undefined when a call of that id is open already: an answer would fit both. */
  open(id: Id): OpenCall | undefined
  find(id: Id): OpenCall | undefined
  /** Takes it out: whoever gets it says how it ended. */
  close(id: Id): OpenCall | undefined
  closeAll(): OpenCall[]
  readonly size: number
}

export function openCalls(): OpenCalls {
  const calls = new Map<Id, OpenCall>()
  return {
    open(id) {
      if (calls.has(id)) return undefined
      const call: OpenCall = { stop: new AbortController(), permit: undefined, is_with_server: false }
      calls.set(id, call)
      return call
    },
    find: (id) => calls.get(id),
    close(id) {
      const call = calls.get(id)
      calls.delete(id)
      return call
    },
    closeAll() {
      const all = [...calls.values()]
      calls.clear()
      return all
    },
    get size() {
      return calls.size
    },
  }
}
