import type { FastifyBaseLogger } from 'fastify'
import type { ClerkOptions } from '../clerk/clerk.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Vitals } from '../operations/operation-context.ts'
import type { Engine } from '../verification/biometric-engine.ts'

/** Everything that tests and benchmarks replace. The rest of the service follows from the configuration. */
export interface Parts {
  readonly deployment: Pick<
    Deployment,
    'keys' | 'reader' | 'ephemeral' | 'deliveries' | 'execute' | 'statusIndexes' | 'peers'
  > &
    Partial<Pick<Deployment, 'elsewhere' | 'database' | 'tells_growth'>>
  readonly clock: () => number
  /** What is wrong with the clock; undefined while it can be trusted. */
  readonly clockFault?: (() => string | undefined) | undefined
  /** How many milliseconds the clock is ahead of others, for metrics. */
  readonly clockAhead?: (() => number) | undefined
  readonly logger: FastifyBaseLogger
  readonly batch_limits: BatchLimits
  /** Maximum number of proofs of possession that this process remembers, to refuse replays. */
  readonly proof_limit?: number | undefined
  /** Judges captures. By default the engine that the settings name. */
  readonly engine?: Engine | undefined
  /** How the node is doing. By default it is measured. */
  readonly vitals?: Vitals | undefined
  /** Called if the store didn't answer in another thread. */
  readonly onAway?: ((cause: unknown) => void) | undefined
  /** Called if a background task failed. It will be retried. */
  onTrouble(cause: unknown, what: string): void
}

export type BatchLimits = Pick<ClerkOptions, 'batch_limit' | 'closes_at' | 'batches_in_flight'>
