import { AuthorityError } from '@deputize/protocol'
import type { HumanFacts } from '../../store/port.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns a person, or throws `human_unknown`. */
export async function loadHuman(human_ref: string, { reader, clock }: OperationContext): Promise<HumanFacts> {
  const human = await reader.human(human_ref, clock())
  if (human === undefined) throw new AuthorityError('human_unknown')
  return human
}
