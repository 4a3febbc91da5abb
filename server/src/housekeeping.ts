import type { Clerk } from './clerk/clerk.ts'
import type { SweepOutcome } from './clerk/judges/close.ts'
import type { Deployment } from './deployment/deployment.ts'

const SWEEP_EVERY_MS = 5_000
const SWEEP_LIMIT = 500
const SWEEP_EPHEMERAL_EVERY_MS = 60_000
const DELETE_EXPIRED_EVERY_MS = 3_600_000

export interface Housekeeping {
  /** Tries a write now, to find out whether the store accepts one. */
  probe(): void
  close(): void
}

/**
 * Expires overdue approvals and actions, deletes ephemeral data and personal data past its retention, and probes a
 * store that refuses writes until readiness turns green again.
 */
export function startHousekeeping(
  clerk: Clerk,
  { ephemeral, probe_every_ms }: Pick<Deployment, 'ephemeral' | 'probe_every_ms'>,
  deleteExpired: () => Promise<void>,
): Housekeeping {
  const probe = singleProbe(clerk)
  const timers = [
    setInterval(() => {
      if (clerk.fault() === undefined) sweepAll(clerk).catch(ignoreUntilNextTime)
    }, SWEEP_EVERY_MS),
    setInterval(() => {
      ephemeral.sweep().catch(ignoreUntilNextTime)
    }, SWEEP_EPHEMERAL_EVERY_MS),
    setInterval(() => {
      deleteExpired().catch(ignoreUntilNextTime)
    }, DELETE_EXPIRED_EVERY_MS),
    setInterval(() => {
      if (clerk.fault() !== undefined) probe()
    }, probe_every_ms),
  ]
  return {
    probe,
    close() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Sweeps until nothing is overdue, so that reserved money returns at once however many records expire together. */
export async function sweepAll(clerk: Pick<Clerk, 'submit'>): Promise<void> {
  for (;;) {
    const { outcome } = await clerk.submit({ kind: 'sweep', limit: SWEEP_LIMIT })
    const { expired } = outcome as SweepOutcome // the outcome type of this command's judge
    if (expired < SWEEP_LIMIT) return
  }
}

/** Ignores a failure: the clerk logs failed batches, and every task runs again. */
function ignoreUntilNextTime(): void {}

/** Returns a function that probes the store unless a probe is under way. */
function singleProbe(clerk: Clerk): () => void {
  let isProbing = false
  return () => {
    if (isProbing) return
    isProbing = true
    clerk
      .submit({ kind: 'probe', is_own: true })
      .catch(ignoreUntilNextTime)
      .finally(() => {
        isProbing = false
      })
  }
}
