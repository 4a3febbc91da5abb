import type { AllowedCall } from './call-authorizer.ts'
import type { MessageId } from './messages.ts'

/** A call that waits for a decision or for the server. */
export interface OpenCall {
  /** Aborted when the client no longer wants the call. */
  readonly stop: AbortController
  /** Set once the call is allowed. */
  allowed: AllowedCall | undefined
  is_with_server: boolean
}

export interface OpenCalls {
  /** Undefined if a call with that id is already open: a response would match both. */
  open(id: MessageId): OpenCall | undefined
  find(id: MessageId): OpenCall | undefined
  /** Removes the call. The caller that gets it reports how it ended. */
  close(id: MessageId): OpenCall | undefined
  closeAll(): OpenCall[]
  readonly size: number
}

export function openCalls(): OpenCalls {
  const calls = new Map<MessageId, OpenCall>()
  return {
    open(id) {
      if (calls.has(id)) return undefined
      const call: OpenCall = { stop: new AbortController(), allowed: undefined, is_with_server: false }
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
