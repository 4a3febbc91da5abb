import { CallerShares } from '../../domain/load/caller-shares.ts'
import type { LoadingRequest } from '../arrived-request.ts'
import { neighbourhoodOf } from '../guard/rate-limit.ts'

/**
 * Whom the share of a call is counted for: its credential, as it was sent, or else its address. Nothing was verified yet, so
 * a caller that makes up credentials has many names. It gains little: such calls are refused before they wait for anything.
 */
function nameOf({ rawHeaders, socket }: LoadingRequest): string {
  // Under load most calls are refused, and need not have their headers sorted.
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'authorization') return rawHeaders[index + 1] ?? ''
  return neighbourhoodOf(socket.remoteAddress ?? '')
}

/** Knows whose calls are under way. */
export class CallsUnderWay {
  readonly #shares = new CallerShares()

  /** Whether the caller has less than an even share of the calls under way. */
  isModest(request: LoadingRequest): boolean {
    return this.#shares.excessOf(nameOf(request)) < 0
  }

  /** Counts a call until the returned function is called. */
  begin(request: LoadingRequest): () => void {
    const name = nameOf(request)
    this.#shares.begin(name)
    return () => this.#shares.end(name)
  }
}
