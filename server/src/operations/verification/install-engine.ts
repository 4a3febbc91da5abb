import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { engineView } from '../views/engine-view.ts'

export const installEngine: Handler<'installEngine'> = async (_call, { engine }) => {
  const now = engine.state()
  if (now.state === 'off') throw new AuthorityError('engine_unavailable', undefined, { engine: now })
  if (now.state !== 'ready') engine.startInstall()
  return engineView(engine.state())
}
