import type { Handler } from '../../operation-context.ts'
import { engineView } from '../../views/engine-view.ts'

export const getEngine: Handler<'getEngine'> = async (_call, { verification: { engine } }) =>
  engineView(engine.state())
