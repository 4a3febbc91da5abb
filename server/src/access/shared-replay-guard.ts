import { type ReplayGuard, replayKey } from '@deputize/protocol'
import type { EphemeralStore } from '../store/ephemeral.ts'

/** Clock skew between nodes: a proof must not be forgotten while another node still accepts it. */
const CLOCKS_APART_MS = 60_000

/** Returns a replay guard for several nodes, kept in the shared store. */
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
