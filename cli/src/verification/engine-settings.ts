import { join, resolve } from 'node:path'
import type { PackSettings } from '@deputize/biometrics'
import type { Environment } from '../environment.ts'

export interface EngineCommandOptions {
  data?: string
  json?: boolean
}

/** The settings that the service would use. */
export function engineSettings({ data }: EngineCommandOptions, env: Environment): PackSettings {
  return {
    mode: env.DEPUTY_ENGINE === 'off' ? 'off' : 'auto',
    root: join(resolve(data ?? env.DEPUTY_DATA_DIR ?? './data'), 'engine'),
    copied: env.DEPUTY_ENGINE_DIR || undefined,
  }
}
