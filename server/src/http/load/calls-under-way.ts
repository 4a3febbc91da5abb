import { CallerShares } from '../../domain/load/caller-shares.ts'
import type { LoadingRequest } from '../arrived-request.ts'
import { neighbourhoodOf } from '../guard/rate-limit.ts'

/**
 * Returns the name that a call's share is counted under: its credential as sent, or else the network of its address.
 * Nothing is verified yet, so a caller that makes up credentials has many names. It gains little, because such calls
 * are refused before they wait for anything.
 */
function nameOf({ rawHeaders, socket }: LoadingRequest): string {
  // Reads the raw headers: under load most calls are refused, and parsing theirs would be wasted.
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'authorization') return rawHeaders[index + 1] ?? ''
  return neighbourhoodOf(socket.remoteAddress ?? '')
}

/** Tracks whose calls are under way. */
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
