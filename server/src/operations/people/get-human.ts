import { loadHuman } from '../loading/load-human.ts'
import type { Handler } from '../operation-context.ts'
import { humanView } from '../views/human-view.ts'

export const getHuman: Handler<'getHuman'> = async ({ params }, context) =>
  humanView(await loadHuman(params.human_ref, context))
