import type { EngineView } from '@deputize/protocol'
import type { EngineState } from '../../verification/biometric-engine.ts'

export function engineView(engine: EngineState): EngineView {
  return { ...engine }
}
