import type { Style } from './screen.ts'

/** The meaning of each color, everywhere in the terminal: done, waiting, no, or a person is asked. */
export const OUTCOME_STYLES = {
  done: 'green',
  wait: 'yellow',
  no: 'red',
  ask: 'blue',
  plain: 'dim',
} as const satisfies Record<string, Style>
export type OutcomeKind = keyof typeof OUTCOME_STYLES

/** How an action went, from its state and result. */
export function outcomeOf(state: string, result: string | undefined): OutcomeKind {
  if (state === 'pending') return 'wait'
  if (state !== 'completed') return 'plain'
  if (result === 'success') return 'done'
  return result === 'partial' ? 'wait' : result === 'cancelled' ? 'plain' : 'no'
}
