import { type ReplayGuard, replayKey } from '@deputy/protocol'
import type { Passing } from '../store/passing.ts'

/** Nodes may disagree about the time: what one still takes, no other may have forgotten. */
const CLOCKS_APART_MS = 60_000

/** For several nodes, which remember together. */
export function passingGuard(passing: Pick<Passing, 'add'>): ReplayGuard {
  return {
    async admit(proof) {
      const entry = {
        key: replayKey(proof),
        value: '{}',
        owner: undefined,
        expires_at_ms: proof.ends_at_ms + CLOCKS_APART_MS,
      }
      return (await passing.add('proof', entry)) ? 'fresh' : 'replayed'
    },
  }
}
