import type { Handler } from '../operation-context.ts'
import { vouchView } from '../views/vouch-view.ts'
import { loadVouch } from './own-vouch.ts'

export const getVouch: Handler<'getVouch'> = async ({ params }, context) =>
  vouchView(await loadVouch(params.vouch_id, context), context.clock())
