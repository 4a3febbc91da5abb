import type { BatchState } from '../batch-state.ts'
import type { KeepScoresCommand } from '../command.ts'

/** Keeps scores that are newer than those before, and forgets the others: another node may have been faster. */
export function judgeKeepScores({ scores }: KeepScoresCommand, batch: BatchState): { readonly kept: number } {
  const kept = scores.filter(
    ({ agent_id, score, log_size }) =>
      log_size <= batch.nextIndex() && batch.trust.keepScore(agent_id, { score, log_size }),
  )
  return { kept: kept.length }
}
