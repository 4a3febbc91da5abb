import { engineUnavailable } from '../../../verification/biometric-engine.ts'
import type { Handler } from '../../operation-context.ts'
import { engineView } from '../../views/engine-view.ts'

export const installEngine: Handler<'installEngine'> = async (_call, { verification: { engine } }) => {
  const now = engine.state()
  if (now.state === 'off') throw engineUnavailable(now)
  if (now.state !== 'ready') engine.startInstall()
  return engineView(engine.state())
}
