import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'
import { SharedPlaces } from './shared-places.ts'

/** The most streams that one node serves. Each holds a connection and little memory. */
const MOST_STREAMS = 2_500

/** Counts the open streams of this node. */
export class EventStreams {
  readonly #shares = new SharedPlaces(MOST_STREAMS)

  get count(): number {
    return this.#shares.count
  }

  /** Takes a place for a stream, or throws if there is none. Returns a function that ends the stream. */
  begin(caller: Caller): () => void {
    const end = this.#shares.take(caller)
    if (end === undefined) throw new AuthorityError('too_many_streams')
    return end
  }
}
