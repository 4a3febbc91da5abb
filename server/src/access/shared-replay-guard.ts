import { type ReplayGuard, replayKey } from '@deputize/protocol'
import type { EphemeralStore } from '../store/ephemeral.ts'

/** Nodes may disagree about the time: what one still takes, no other may have forgotten. */
const CLOCKS_APART_MS = 60_000

/** For several nodes, which remember together. */
export function sharedReplayGuard(ephemeral: Pick<EphemeralStore, 'add'>): ReplayGuard {
  return {
    async admit(proof) {
      const entry = {
        key: replayKey(proof),
        value: '{}',
        owner: undefined,
        expires_at_ms: proof.ends_at_ms + CLOCKS_APART_MS,
      }
      return (await ephemeral.add('proof', entry)) ? 'fresh' : 'replayed'
    },
  }
}
