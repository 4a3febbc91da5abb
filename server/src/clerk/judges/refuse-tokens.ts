import type { BatchState } from '../batch-state.ts'
import type { RefuseTokensCommand } from '../command.ts'
import { everyRef } from './person-refs.ts'

export interface RefuseTokensOutcome {
  readonly refuses: boolean
  /** False if the person was already in that state. */
  readonly changed: boolean
  readonly at_ms: number
}

/**
 * Marks a person as refusing every new token in their name, under any of their refs, or lifts that mark. Existing
 * tokens aren't affected.
 */
export function judgeRefuseTokens(
  { human_ref, refuses }: RefuseTokensCommand,
  batch: BatchState,
): RefuseTokensOutcome {
  const [first, ...others] = everyRef(human_ref, batch).map((ref) => changeRef(ref, refuses, batch))
  if (first === undefined) throw new Error('a person has at least one ref')
  return { ...first, changed: first.changed || others.some(({ changed }) => changed) }
}

/** Extends a refusal under one ref to all refs of a person who has proved an address. */
export function refuseUnderEveryRef(human_ref: string, batch: BatchState): void {
  const refs = everyRef(human_ref, batch)
  if (refs.every((ref) => batch.humanMarks(ref)?.refused_at_ms === undefined)) return
  for (const ref of refs) changeRef(ref, true, batch)
}

function changeRef(human_ref: string, refuses: boolean, batch: BatchState): RefuseTokensOutcome {
  // A person without stored data has no refusal to end.
  const marks = refuses ? batch.newHumanMarks(human_ref) : batch.humanMarks(human_ref)
  if (marks === undefined) return { refuses, changed: false, at_ms: batch.now_ms }
  if ((marks.refused_at_ms !== undefined) === refuses)
    return { refuses, changed: false, at_ms: marks.refused_at_ms ?? batch.now_ms }
  marks.refused_at_ms = refuses ? batch.now_ms : undefined
  batch.saveHumanMarks(human_ref, marks)
  batch.appendLeaf(refuses ? 'human.refused' : 'human.accepted', { human_ref })
  return { refuses, changed: true, at_ms: batch.now_ms }
}
