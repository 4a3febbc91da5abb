import { loadHuman } from '../loading/load-human.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const removeAnchor: Handler<'removeAnchor'> = async (call, context) => {
  const { human_ref } = call.params
  await loadHuman(human_ref, context)
  const command = { kind: 'remove_anchor', human_ref } as const
  const { removed } = await submitCommand<{ readonly removed: boolean }>(command, call, context)
  return { human_ref, removed }
}
