import { type Clerk, openClerk } from '../clerk/clerk.ts'
import type { CommitHistory } from '../clerk/commit-history.ts'
import type { Config } from '../config.ts'
import type { Metrics } from '../http/metrics.ts'
import { BatchFailureLog } from './batch-failure-log.ts'
import { waking } from './deliveries.ts'
import type { Parts } from './parts.ts'

/** The parts that are notified of each batch. */
interface Followers {
  readonly metrics: Metrics
  readonly commits: CommitHistory
  readonly wake: () => void
}

export function clerkOf(config: Config, parts: Parts, { metrics, commits, wake }: Followers): Clerk {
  const { deployment, batch_limits, clockFault = () => undefined, logger } = parts
  const { execute, tells_growth = false } = deployment
  const failures = new BatchFailureLog(logger)
  const clerk = openClerk(tells_growth ? execute : waking(execute, wake), {
    queue_limit: config.queue_limit,
    ...batch_limits,
    clockFault,
    onBatch(size, duration_ms) {
      metrics.onBatch(size, duration_ms)
      commits.count(size, duration_ms, clerk.waiting())
      if (clerk.fault() === undefined) failures.onSuccess()
    },
    onFailure(cause) {
      metrics.onBatchFailure()
      commits.countFailure()
      failures.onFailure(cause)
    },
  })
  return clerk
}
