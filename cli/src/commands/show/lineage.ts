import type { Answer } from '../../client/call-command.ts'
import type { Screen } from '../../terminal/screen.ts'
import { tree } from '../../terminal/tree.ts'
import { recordFacts } from '../record-facts.ts'
import { drawTokens } from './token-tree.ts'
import { actionBranch } from './workflow.ts'

/** An action, what led to it, what it led to, and in whose name it was done. */
export function drawLineage(answer: Answer<'getLineage'>, screen: Screen): string {
  const { record, causes, effects, has_more_causes, has_more_effects, chain } = answer
  const hidden = (is_more: boolean) => (is_more ? [{ lines: ['and more'], below: [] }] : [])
  const because = {
    lines: ['why'],
    below: [...causes.map((cause) => actionBranch(cause, undefined, screen)), ...hidden(has_more_causes)],
  }
  const led_to = {
    lines: ['led to'],
    below: [...effects.map((effect) => actionBranch(effect, undefined, screen)), ...hidden(has_more_effects)],
  }
  return [
    recordFacts(record),
    ...[because, led_to].filter(({ below }) => below.length > 0).map((branch) => tree(branch, screen)),
    drawTokens({ chain, descendants: [] }, screen),
  ].join('\n')
}
