import type { ResponseOf } from '../../client/call-command.ts'
import type { Screen } from '../../terminal/screen.ts'
import { tree } from '../../terminal/tree.ts'
import { recordFacts } from '../record-facts.ts'
import { drawTokens } from './token-tree.ts'
import { actionBranch } from './workflow.ts'

/** An action with its causes, its effects, and the tokens it was done with. */
export function drawLineage(answer: ResponseOf<'getLineage'>, screen: Screen): string {
  const { record, causes, effects, has_more_causes, has_more_effects, chain } = answer
  const cut = (has_more: boolean) => (has_more ? [{ lines: ['... and more'], below: [] }] : [])
  const because = {
    lines: ['caused by'],
    below: [...causes.map((cause) => actionBranch(cause, undefined, screen)), ...cut(has_more_causes)],
  }
  const led_to = {
    lines: ['caused'],
    below: [...effects.map((effect) => actionBranch(effect, undefined, screen)), ...cut(has_more_effects)],
  }
  return [
    recordFacts(record),
    ...[because, led_to].filter(({ below }) => below.length > 0).map((branch) => tree(branch, screen)),
    drawTokens({ chain, descendants: [] }, screen),
  ].join('\n')
}
