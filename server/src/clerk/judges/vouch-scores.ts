import type { BatchState } from '../batch-state.ts'
import type { KeepScoresCommand } from '../command.ts'

/** Stores the scores that are newer than the stored ones, and drops the others. Another node may have been faster. */
export function judgeKeepScores({ scores }: KeepScoresCommand, batch: BatchState): { readonly kept: number } {
  const kept = scores.filter(
    ({ agent_id, score, log_size }) =>
      log_size <= batch.nextIndex() && batch.trust.keepScore(agent_id, { score, log_size }),
  )
  return { kept: kept.length }
}
